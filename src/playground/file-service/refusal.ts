/**
 * Codes of errors reported with status 200, by the HTTP status that means the same (service
 * interface, appendix 2, R3). 1401, 1404 and 1429 are our own: no code for these has been seen.
 */
const CODES = new Map([
  [400, 1301],
  [401, 1001],
  [403, 1401],
  [404, 1404],
  [415, 1202],
  [429, 1429],
]);

/** Thrown to refuse a request with `status`, or with status 200 and `code`. */
export class Refusal extends Error {
  readonly status: number;
  /** Undefined for a failure of the service, which every account reports by its status. */
  readonly code: number | undefined;

  constructor(status: number, message: string, code = CODES.get(status)) {
    super(message);
    this.name = 'Refusal';
    this.status = status;
    this.code = code;
  }
}

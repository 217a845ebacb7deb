/**
 * Codes of errors inside a 200, by the status that stands for the same (service interface, appendix
 * 2, R3). Those of rights, of things that are not there and of the rate limit are this service's
 * own: none were seen.
 */
const CODES = new Map([
  [400, 1301],
  [401, 1001],
  [403, 1401],
  [404, 1404],
  [415, 1202],
  [429, 1429],
]);

/** A request that the service refuses; answered with `status`, or with `code` inside a 200. */
export class Refusal extends Error {
  readonly status: number;
  /** Undefined for a failure of the service, which is told by its status in every account. */
  readonly code: number | undefined;

  constructor(status: number, message: string, code = CODES.get(status)) {
    super(message);
    this.name = 'Refusal';
    this.status = status;
    this.code = code;
  }
}

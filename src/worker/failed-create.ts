import { type ErrorCode, PigeonholeError } from '../base/index.ts';
import type { Transfer } from '../ledger/index.ts';
import { ServiceError } from '../service/index.ts';

/** What a service answers that does not know an attachment any more. */
const STALE_CODES: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'SERVICE_BAD_REQUEST',
  'SERVICE_NOT_FOUND',
  'SERVICE_REFUSED',
]);

/** A create whose effect is not known: its record is to be looked for before it is sent again. */
export class OpenCreateError extends PigeonholeError {
  declare readonly cause: ServiceError;

  constructor(cause: ServiceError) {
    super(cause.code, cause.message, { cause });
  }
}

/** Whether the service may have forgotten an attachment that waited: uploading it anew can help. */
export function isStaleAttachment(error: unknown, claimed: Transfer): error is ServiceError {
  return claimed.state !== 'recorded' && error instanceof ServiceError && isStaleCode(error.code);
}

/** Whether an answer may mean that an attachment is not known any more. */
export function isStaleCode(code: ErrorCode | null): boolean {
  return code !== null && STALE_CODES.has(code);
}

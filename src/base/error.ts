import type { ErrorCode } from './error-codes.ts';

/**
 * The base of every error that Pigeonhole raises on purpose. `code` is stable and documented in
 * `error-codes.ts`; `message` is for the log; what a person reads is made from `code` in `blocks/`.
 */
export class PigeonholeError extends Error {
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = new.target.name;
    this.code = code;
  }
}

import { PigeonholeError } from '../base/index.ts';
import { ServiceError } from '../service/index.ts';

/**
 * Why the look for an open create's record failed: where access is denied, the file may be in the
 * folder for all that can be known. Any other error as it is.
 */
export function unseenRecord(error: unknown): unknown {
  if (!(error instanceof ServiceError) || error.code !== 'SERVICE_FORBIDDEN') return error;
  const message = `the folder may not be looked into: ${error.message}`;
  return new PigeonholeError('RECORD_UNSEEN', message, { cause: error });
}

import type { Call } from './call.ts';
import { Refusal } from './refusal.ts';

/**
 * Returns `own()`. If that throws a 404 refusal, throws it too or returns an empty list or `all()`,
 * as the account does for an unknown folder or project (service interface, appendix 2, R5).
 */
export function ofPlace<T>(
  { behaviour }: Pick<Call, 'behaviour'>,
  own: () => T,
  all: () => T,
): T | never[] {
  try {
    return own();
  } catch (error) {
    if (!(error instanceof Refusal) || error.status !== 404) throw error;
    if (behaviour.unknownPlace === 'refused') throw error;
    return behaviour.unknownPlace === 'empty-list' ? [] : all();
  }
}

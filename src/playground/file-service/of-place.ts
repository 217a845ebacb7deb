import type { Call } from './call.ts';
import { Refusal } from './refusal.ts';

/**
 * What the list of a folder or project is answered with (service interface, appendix 2, R5): its
 * `own`, or, where there is none such, a refusal, an empty list or `all`, as the account does.
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

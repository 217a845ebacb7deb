import { type CallOptions, ServiceError } from '../service/index.ts';
import type { Asked } from './answer.ts';

/**
 * Makes one of many calls for a person: what is beyond one person's share of the window waits its
 * turn with the bulk.
 */
export async function patientCall<T>(
  { call, userId }: Pick<Asked, 'call' | 'userId'>,
  make: (call: CallOptions) => Promise<T>,
): Promise<T> {
  try {
    return await make(call);
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'SERVICE_SHARE_USED') throw error;
    return make({ lane: 'bulk', queue: `asked by ${userId}` });
  }
}

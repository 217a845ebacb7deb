import type { Destination } from '../transfers/destination.ts';
import type { CallOptions } from './client.ts';
import { filesPath } from './fetch-files.ts';
import { badAnswer } from './requests/answer-error.ts';
import { parseJson } from './requests/read-answer.ts';
import { callOnce, operationOf, repeat, type ServiceParts } from './requests/service-calls.ts';
import { ServiceError } from './requests/service-error.ts';

export interface DeleteCall {
  destination: Destination;
  fileId: number;
  options: CallOptions;
}

/**
 * Deletes a file (service interface, section 4.3). Not there at the first attempt: `gone`. Not
 * there after an attempt that may have got through: that one did it.
 */
export function deleteFile(parts: ServiceParts, call: DeleteCall): Promise<'deleted' | 'gone'> {
  const { destination, fileId, options } = call;
  const path = `${filesPath(destination)}/${fileId}`;
  const operation = operationOf('DELETE', path);
  let maybeDone = false;

  return repeat(parts, options, async () => {
    try {
      return await callOnce(parts, { operation, options }, (answer, apiKey) => {
        if (answer.status === 204 || isPlain(answer.text)) return 'deleted';
        throw badAnswer({ operation, answer, apiKey }, 'something that is no answer to it');
      });
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      if (error.code === 'SERVICE_NOT_FOUND') return maybeDone ? 'deleted' : 'gone';
      maybeDone ||= error.sent !== 'no';
      throw error;
    }
  });
}

// 204 has no body; where another success comes, a web page is not the service's.
function isPlain(text: string): boolean {
  return text.trim() === '' || parseJson(text) !== undefined;
}

import type { Answer } from '../../src/service/answer.ts';
import { apiOperation } from '../../src/service/http.ts';
import { FILES, KEY } from './client-under-test.ts';

/** An answer with that text: 200 to a list of files, unless told otherwise. */
export function answerOf(text: string, fields: Partial<Answer> = {}): Answer {
  return {
    operation: apiOperation('GET', FILES),
    status: 200,
    text,
    askedAt: 0,
    serviceTime: null,
    retryAfter: undefined,
    location: undefined,
    apiKey: KEY,
    ...fields,
  };
}

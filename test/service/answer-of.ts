import type { Answer } from '../../src/service/answer.ts';
import { apiOperation } from '../../src/service/http.ts';
import { FILES, KEY } from './client-under-test.ts';

/** Returns an answer with that text: by default, a 200 to a request for a list of files. */
export function answerOf(text: string, fields: Partial<Answer> = {}): Answer {
  return {
    operation: apiOperation('GET', FILES),
    status: 200,
    text,
    askedAt: 0,
    serviceTime: null,
    retryAfter: undefined,
    location: undefined,
    contentType: undefined,
    apiKey: KEY,
    ...fields,
  };
}

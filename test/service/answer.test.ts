import { describe, expect, test } from 'vitest';
import { type Operation, parseRetryAfter } from '../../src/service/answer.ts';
import { answerError, apiOperation } from '../../src/service/http.ts';
import { UPLOAD } from '../../src/service/upload.ts';
import { answerOf } from './answer-of.ts';

const LIST = apiOperation('GET', '/files');
const CREATE = apiOperation('POST', '/files');
const DELETE = apiOperation('DELETE', '/files/3');
const ALL = { LIST, CREATE, DELETE, UPLOAD };

function judge(operation: Operation, body: unknown, status = 200) {
  const text = typeof body === 'string' ? body : JSON.stringify(body ?? '').replace('""', '');
  return answerError(answerOf(text, { operation, status }));
}

describe('answerError for a successful answer', () => {
  test.each<[keyof typeof ALL, unknown]>([
    ['LIST', []],
    ['LIST', [{ id: 1, name: 'a' }]],
    ['LIST', [{ id: 1, name: 'error', status: 'failed', code: 7, message: 'x' }]],
    ['LIST', { id: 5, parent_id: null, children: [], status: false }],
    ['CREATE', { id: 1, name: 'a' }],
    ['CREATE', { id: 1, status: 'error', message: 'Rate limit exceeded' }],
    ['CREATE', [{ id: 1 }, { id: 2 }]],
    ['CREATE', { success: true, code: 201, message: 'Created' }],
    ['UPLOAD', { file_id: 5 }],
    ['UPLOAD', { status: 'ok', file: { file_id: 5 } }],
    ['UPLOAD', { success: false, file_id: 5 }],
    ['DELETE', undefined],
    ['DELETE', {}],
    ['DELETE', { success: true }],
    ['DELETE', { code: 200, message: 'File deleted' }],
    ['DELETE', { code: 0, message: 'OK' }],
  ])('returns null for %s: %j', (operation, body) => {
    expect(judge(ALL[operation], body)).toBeNull();
  });
});

describe.each(Object.entries(ALL))(
  'answerError for an error within a 200 to %s',
  (_name, operation) => {
    const unlessRepeatable = operation.repeatable ? 'yes' : 'unknown';

    test.each([
      { success: false, status: false, code: 1001, message: 'API key is not valid' },
      { code: 1001, message: 'API key is not valid', response_code: 200 },
      { success: false, code: '1001' },
      { error: { code: 1001, message: 'API key is not valid' } },
      [{ success: false, code: 1001, message: 'API key is not valid' }],
      { success: false, file_id: 0, code: 1001, message: 'API key is not valid' },
    ])('recognizes an error of the key: %j', (body) => {
      const key = { code: 'SERVICE_UNAUTHORIZED', retry: 'never', sent: 'yes' };
      expect(judge(operation, body)).toMatchObject(key);
    });

    test.each([1201, 1202, 1301])('recognizes code %i as a rejected request', (code) => {
      const body = { code, message: 'Headers are incomplete', response_code: 400 };
      expect(judge(operation, body)).toMatchObject({
        code: 'SERVICE_BAD_REQUEST',
        retry: 'never',
        sent: 'yes',
        said: 'Headers are incomplete',
      });
    });

    test.each([
      { success: false, message: 'Rate limit exceeded. Try again in 10 seconds.' },
      { message: 'Rate limit exceeded' },
      { success: false, code: 1429, message: 'You have exceeded the rate-limit of your account' },
      'Too many requests',
    ])('recognizes the rate limit by its text: %j', (body) => {
      const limited = { code: 'SERVICE_RATE_LIMITED', retry: 'later', sent: 'yes' };
      expect(judge(operation, body)).toMatchObject(limited);
    });

    test.each([
      { success: false, status: false, code: 4711, message: 'The moon is full' },
      { code: 4711, message: 'The moon is full', response_code: 4711 },
      { success: false, message: 'The moon is full' },
      { status: false, message: 'The moon is full' },
      { status: 'error', message: 'The moon is full' },
      { error: 'The moon is full' },
      { success: 0, errors: ['The moon is full'] },
    ])("returns SERVICE_REFUSED with the service's words for an unknown error: %j", (body) => {
      expect(judge(operation, body)).toMatchObject({
        code: 'SERVICE_REFUSED',
        retry: 'never',
        sent: 'yes',
        said: 'The moon is full',
      });
    });

    test('uses the status that the body gives', () => {
      const at = (code: number) => judge(operation, { success: false, code, message: 'no' });
      expect(at(404)).toMatchObject({ code: 'SERVICE_NOT_FOUND', sent: 'yes' });
      const forbidden = operation === UPLOAD ? 'SERVICE_UPLOAD_FORBIDDEN' : 'SERVICE_FORBIDDEN';
      expect(at(403)).toMatchObject({ code: forbidden, sent: 'yes' });
      const tooLarge = operation === UPLOAD ? 'SERVICE_TOO_LARGE' : 'SERVICE_BAD_REQUEST';
      expect(at(413)).toMatchObject({ code: tooLarge, retry: 'never' });
      expect(at(503)).toMatchObject({ code: 'SERVICE_FAILED', sent: unlessRepeatable });
    });
  },
);

describe('answerError for an error status', () => {
  test.each([
    [400, { code: 1001, message: 'API key' }, 'SERVICE_UNAUTHORIZED'],
    [403, { code: 1001, message: 'API key' }, 'SERVICE_UNAUTHORIZED'],
    [403, { message: 'Rate limit exceeded' }, 'SERVICE_RATE_LIMITED'],
    [503, 'Rate limit exceeded, wait 10 seconds', 'SERVICE_RATE_LIMITED'],
    [500, { code: 1301, message: 'Bad request' }, 'SERVICE_BAD_REQUEST'],
    [403, { code: 4711, message: 'no' }, 'SERVICE_FORBIDDEN'],
    [400, { id: 5, message: 'no' }, 'SERVICE_BAD_REQUEST'],
    [500, { success: true, id: 5 }, 'SERVICE_FAILED'],
  ])(
    'maps %i with %j to %s, as a known code in the body takes precedence',
    (status, body, code) => {
      expect(judge(CREATE, body, status)).toMatchObject({ code });
    },
  );

  test.each([
    [200, { message: 'Rate limit exceeded' }, 'yes'],
    [400, undefined, 'yes'],
    [403, undefined, 'yes'],
    [404, undefined, 'yes'],
    [429, undefined, 'yes'],
    [408, undefined, 'unknown'],
    [500, undefined, 'unknown'],
    [504, undefined, 'unknown'],
  ])('does not say for %i with %j that a create was not sent', (status, body, sent) => {
    expect(judge(CREATE, body, status)).toMatchObject({ sent });
  });
});

const answeredAt = Date.parse('Mon, 05 Jan 2026 09:00:00 GMT');

test.each<[string | undefined, number]>([
  ['4', 4_000],
  [' 10 ', 10_000],
  ['0', 0],
  ['1.5', 1_500],
  ['600', 600_000],
  ['601', 600_000],
  ['86400', 600_000],
  ['9'.repeat(400), 600_000],
  ['Mon, 05 Jan 2026 09:00:07 GMT', 7_000],
  ['Monday, 05-Jan-26 09:00:07 GMT', 7_000],
  ['Tue, 06 Jan 2026 09:00:00 GMT', 600_000],
  ['Mon, 05 Jan 2026 08:59:00 GMT', 10_000],
  [undefined, 10_000],
  ['', 10_000],
  ['-5', 10_000],
  ['soon', 10_000],
  ['26', 26_000],
  ['1e3', 10_000],
  ['Infinity', 10_000],
])('parseRetryAfter of %j returns %i ms', (value, expected) => {
  expect(parseRetryAfter(value, answeredAt)).toBe(expected);
});

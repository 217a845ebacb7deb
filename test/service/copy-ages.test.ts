import { expect, test } from 'vitest';
import { orOlderCopy } from '../../src/service/copy-ages.ts';
import { ServiceError, type ServiceErrorCode } from '../../src/service/errors.ts';

test.each<[ServiceErrorCode, number[]]>([
  ['SERVICE_PERSON_LIMIT', [0, 60_000]],
  ['SERVICE_FAILED', [0]],
])('orOlderCopy, on %s, asks for lists up to these ages in ms: %j', async (code, expected) => {
  const asked: number[] = [];
  const failing = async ({ maxAgeMs }: { maxAgeMs: number }) => {
    asked.push(maxAgeMs);
    if (maxAgeMs === 0) throw new ServiceError(code, 'no', { retry: 'later', sent: 'no' });
    return 'a copy';
  };
  const answer = orOlderCopy(
    { call: { lane: 'interactive' } },
    { wanted: 0, oldest: 60_000 },
    failing,
  );
  if (expected.length === 2) expect(await answer).toBe('a copy');
  else await expect(answer).rejects.toMatchObject({ code });
  expect(asked).toEqual(expected);
});

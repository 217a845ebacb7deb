import { expect, it } from 'vitest';
import { orCopy } from '../../src/listeners/share-used.ts';
import { ServiceError, type ServiceErrorCode } from '../../src/service/index.ts';

it.each<[ServiceErrorCode, number[]]>([
  ['SERVICE_SHARE_USED', [0, 60_000]],
  ['SERVICE_FAILED', [0]],
])('after %s copies of these ages were asked for: %j', async (code, expected) => {
  const asked: number[] = [];
  const failing = async ({ maxAgeMs }: { maxAgeMs: number }) => {
    asked.push(maxAgeMs);
    if (maxAgeMs === 0) throw new ServiceError(code, 'no', { retry: 'later', sent: 'no' });
    return 'a copy';
  };
  const answer = orCopy({ call: { lane: 'interactive' } }, { wanted: 0, oldest: 60_000 }, failing);
  if (expected.length === 2) expect(await answer).toBe('a copy');
  else await expect(answer).rejects.toMatchObject({ code });
  expect(asked).toEqual(expected);
});

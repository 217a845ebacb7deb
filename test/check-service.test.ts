import { describe, expect, it } from 'vitest';
import { checkService } from '../src/check-service.ts';
import { ServiceError, type ServiceErrorCode } from '../src/service/index.ts';
import { createFakeClock } from './support/fake-clock.ts';
import { createListLogger } from './support/list-logger.ts';

const failed = (code: ServiceErrorCode, message: string, retryAfterMs?: number) =>
  new ServiceError(code, message, { retry: 'later', sent: 'no', retryAfterMs });

/** A check of a service that answers like this, one answer after the other. */
function begin(...answers: (boolean | Error)[]) {
  const clock = createFakeClock();
  const { logger, lines } = createListLogger();
  const stop = new AbortController();
  const lanes: string[] = [];
  const service = {
    check: async ({ lane }: { lane: string }) => {
      lanes.push(lane);
      const answer = answers.shift();
      if (answer instanceof Error) throw answer;
      return answer ?? new Promise<boolean>(() => undefined);
    },
  };
  const done = checkService({ service, clock, logger, signal: stop.signal });
  return { clock, lines, lanes, stop, done };
}

describe('the check of the file service at the start', () => {
  it('says nothing of a service that answers, asked in the lane of files', async () => {
    const { done, lines, lanes } = begin(true);
    await done;
    expect([lines, lanes]).toEqual([[], ['bulk']]);
  });

  it('says that the key is not accepted', async () => {
    const { done, lines } = begin(failed('SERVICE_UNAUTHORIZED', 'no'));
    await done;
    expect(lines).toEqual([
      {
        level: 'error',
        fields: {},
        text: 'The file service does not accept FILES_API_KEY: put in a valid key and start Pigeonhole again',
      },
    ]);
  });

  it.each<[ServiceErrorCode, string]>([
    ['SERVICE_BAD_ANSWER', 'GET /projects was answered 200 with something that is no list'],
    ['SERVICE_UNREACHABLE', 'getaddrinfo ENOTFOUND acme.example'],
    ['SERVICE_FAILED', 'GET /projects was answered 500'],
  ])('names the address and the reason: %s', async (code, problem) => {
    const { done, lines } = begin(failed(code, problem));
    await done;
    expect(lines).toEqual([
      {
        level: 'warn',
        fields: { problem },
        text: 'FILES_ACCOUNT_URL does not answer like the file service: check it',
      },
    ]);
  });

  it('names the address where there is no list of projects, as an account may have none', async () => {
    const { done, lines } = begin(false);
    await done;
    expect(lines).toMatchObject([
      { level: 'warn', text: expect.stringContaining('FILES_ACCOUNT_URL') },
    ]);
  });

  it('asks no more once the service itself has answered that it is asked too much', async () => {
    const limited = { retry: 'later', sent: 'yes' } as const;
    const { done, lines, lanes } = begin(
      new ServiceError('SERVICE_RATE_LIMITED', 'GET /projects was answered 429', limited),
    );
    await done;
    expect([lines, lanes.length]).toEqual([[], 1]);
  });

  it('waits for as long as the service asks to, and takes that for no fault of the address', async () => {
    const wait = failed('SERVICE_RATE_LIMITED', 'wait', 60_000);
    const { done, lines, clock, lanes } = begin(wait, true);
    await clock.advance(0);
    await clock.advance(59_999);
    expect(lanes).toHaveLength(1);
    await clock.advance(1);
    await done;
    expect([lines, lanes.length]).toEqual([[], 2]);
  });

  it('ends without a word at the stop', async () => {
    const { done, lines, stop, clock } = begin(failed('SERVICE_RATE_LIMITED', 'wait', 60_000));
    await clock.advance(0);
    stop.abort(new Error('stopping'));
    await done;
    expect(lines).toEqual([]);
  });
});

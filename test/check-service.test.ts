import { describe, expect, it } from 'vitest';
import { checkService } from '../src/check-service.ts';
import { ServiceError, type ServiceErrorCode } from '../src/service/index.ts';
import { createFakeClock } from './support/fake-clock.ts';
import { createListLogger } from './support/list-logger.ts';

const failed = (code: ServiceErrorCode, message: string, retryAfterMs?: number) =>
  new ServiceError(code, message, { retry: 'later', sent: 'no', retryAfterMs });

const BEGINS = { level: 'info', fields: {}, text: 'Checking the file service and the key' };
const FINE = { level: 'info', fields: {}, text: 'The file service answers and accepts the key' };

/** Starts a check of a service that gives these responses in turn. */
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
  const done = checkService({ service, clock, logger, stopping: stop.signal });
  return { clock, lines, lanes, stop, done };
}

describe('the check of the file service at the start', () => {
  it('reports that the service responds, and uses the bulk lane', async () => {
    const { done, lines, lanes } = begin(true);
    await done;
    expect([lines, lanes]).toEqual([[BEGINS, FINE], ['bulk']]);
  });

  it('reports that the key is not accepted', async () => {
    const { done, lines } = begin(failed('SERVICE_UNAUTHORIZED', 'no'));
    await done;
    expect(lines).toEqual([
      BEGINS,
      {
        level: 'error',
        fields: {},
        text: 'The file service does not accept FILES_API_KEY: put in a valid key and start Pigeonhole again',
      },
    ]);
  });

  it.each<[ServiceErrorCode, string, RegExp]>([
    [
      'SERVICE_BAD_ANSWER',
      'GET /projects was answered 200 with something that is no list',
      /^FILES_ACCOUNT_URL does not answer like the file service: check it$/,
    ],
    [
      'SERVICE_UNREACHABLE',
      'getaddrinfo ENOTFOUND acme.example',
      /cannot be reached.*check FILES_ACCOUNT_URL and the network$/,
    ],
    ['SERVICE_TIMEOUT', 'no answer', /cannot be reached.*check FILES_ACCOUNT_URL/],
    [
      'SERVICE_FAILED',
      'GET /projects was answered 500',
      /^The file service fails.*check FILES_ACCOUNT_URL$/,
    ],
  ])('names the address and the reason: %s', async (code, problem, text) => {
    const { done, lines } = begin(failed(code, problem));
    await done;
    expect(lines).toEqual([
      BEGINS,
      {
        level: 'warn',
        fields: { problem },
        text: expect.stringMatching(text),
      },
    ]);
  });

  it('names the address if there is no list of projects, because an account may have none', async () => {
    const { done, lines } = begin(false);
    await done;
    expect(lines).toMatchObject([
      BEGINS,
      {
        level: 'warn',
        text: expect.stringMatching(/^FILES_ACCOUNT_URL shows no list of projects/),
      },
    ]);
  });

  it('stops once the service itself responds that there are too many requests', async () => {
    const limited = { retry: 'later', sent: 'yes' } as const;
    const { done, lines, lanes } = begin(
      new ServiceError('SERVICE_RATE_LIMITED', 'GET /projects was answered 429', limited),
    );
    await done;
    expect([lines, lanes.length]).toEqual([[BEGINS], 1]);
  });

  it('waits as long as the service asks, says so once, and does not blame the address', async () => {
    const wait = failed('SERVICE_RATE_LIMITED', 'wait', 60_000);
    const { done, lines, clock, lanes } = begin(wait, true);
    await clock.advance(0);
    await clock.advance(59_999);
    expect([lines, lanes.length]).toEqual([[BEGINS], 1]);
    await clock.advance(1);
    await done;
    expect([lines, lanes.length]).toEqual([[BEGINS, FINE], 2]);
  });

  it('ends without a further line at a shutdown', async () => {
    const { done, lines, stop, clock } = begin(failed('SERVICE_RATE_LIMITED', 'wait', 60_000));
    await clock.advance(0);
    stop.abort(new Error('stopping'));
    await done;
    expect(lines).toEqual([BEGINS]);
  });
});

import type { Fault, FaultMoment, FileService } from '../../src/playground/file-service/index.ts';
import type { seededRandom } from '../support/seeded-random.ts';

/** Every way in which a call may fail before its effect or without it. */
const BEFORE: Fault[] = [
  { mode: '500' },
  { mode: '502' },
  { mode: '503' },
  { mode: '504' },
  { mode: '429', ms: 1_000, retryAfter: 'seconds' },
  { mode: '429', ms: 1_000, retryAfter: 'http-date' },
  { mode: 'outage' },
  { mode: 'reset-before' },
  { mode: 'hang' },
  { mode: 'html' },
  { mode: 'slow', ms: 900 },
];

/** Every way in which a call may fail after it took effect. */
const AFTER: Fault[] = [
  { mode: 'cut' },
  { mode: 'reset-after' },
  { mode: 'error-after' },
  { mode: 'hang' },
  { mode: 'html' },
  { mode: 'malformed' },
];

const ENDLESS_429: Fault = { mode: '429', retryAfter: 'none' };

interface FaultOptions {
  /** The fraction of calls that fail. */
  probability: number;
  random: ReturnType<typeof seededRandom>;
  /** Also 429 without `Retry-After`, after which the app sends nothing for ten seconds. */
  with429Unsaid: boolean;
}

/**
 * Makes calls fail in every possible way, in turn. Which call fails is random; how many fail is
 * certain: of n calls of a kind the given fraction, rounded down, or one more. Returns how often
 * each fault occurred.
 */
export function failInEveryWay(
  { faults }: FileService,
  { probability, random, with429Unsaid }: FaultOptions,
): Map<string, number> {
  const counts = new Map<string, number>();
  const ways = { before: with429Unsaid ? [...BEFORE, ENDLESS_429] : BEFORE, after: AFTER };
  const all = ways.before.length + ways.after.length;
  const rate = (when: FaultMoment['when']) => (probability * ways[when].length) / all;
  const turns = {
    before: takeTurns(rate('before'), random),
    after: takeTurns(rate('after'), random),
  };
  faults.intercept(({ when }: FaultMoment) => {
    const turn = turns[when]();
    if (turn === null) return undefined;
    const fault = ways[when][turn % ways[when].length];
    if (fault) counts.set(wayOf(fault, when), (counts.get(wayOf(fault, when)) ?? 0) + 1);
    return fault;
  });
  return counts;
}

// Returns the turn that the current call has, counted from 0, or null for most calls. Each turn
// falls at random between two whole numbers of expected turns.
function takeTurns(rate: number, random: FaultOptions['random']): () => number | null {
  let expected = 0;
  let taken = 0;
  let next = random.fraction();
  return () => {
    expected += rate;
    if (expected < next) return null;
    taken += 1;
    next = taken + random.fraction();
    return taken - 1;
  };
}

function wayOf(fault: Fault, when: FaultMoment['when']): string {
  return `${fault.mode}${'retryAfter' in fault ? ` ${fault.retryAfter}` : ''} ${when}`;
}

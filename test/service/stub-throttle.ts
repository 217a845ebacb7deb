import type { Throttle } from '../../src/service/index.ts';
import type { Admission, AdmissionRequest } from '../../src/service/throttle/limits.ts';

type Outcome = Parameters<Admission['done']>[0];

/** A test's throttle, as over Redis: records each request and how each slot was returned. */
export interface StubThrottle extends Throttle {
  requests: AdmissionRequest[];
  outcomes: Outcome[];
  /** Slots granted and not yet returned. */
  open(): number;
  /** Plays a 429 that holds all calls for a moment: slots granted and not used become stale. */
  holdAll(): void;
}

/** Admits every call at once. */
export function createOpenThrottle(): StubThrottle {
  return createStub(() => Promise.resolve());
}

/** Admits every call at once, but only so many of each person in the interactive lane. */
export function createQuotaThrottle(mostOfPerson: number): StubThrottle {
  const stub = createOpenThrottle();
  const asked = (person: string) =>
    stub.requests.filter(({ lane, queue }) => lane === 'interactive' && queue === person).length;
  return Object.assign(stub, {
    placed: (request: AdmissionRequest): AdmissionRequest => {
      const isBeyond = request.queue && asked(request.queue) >= mostOfPerson;
      return isBeyond ? { ...request, lane: 'bulk', queue: 'people' } : request;
    },
  });
}

export interface HeldThrottle extends StubThrottle {
  /** How many calls wait for a slot. */
  waiting(): number;
  /** Grants a slot to the call that has waited longest. */
  grant(): void;
  /** Rejects the call that has waited longest. */
  refuse(error: Error): void;
}

/** Admits no call until the test says so. */
export function createHeldThrottle(): HeldThrottle {
  const line: PromiseWithResolvers<void>[] = [];
  const stub = createStub((signal) => {
    const turn = Promise.withResolvers<void>();
    const leave = () => {
      line.splice(line.indexOf(turn), 1);
      turn.reject(signal?.reason);
    };
    signal?.addEventListener('abort', leave, { once: true });
    line.push(turn);
    return turn.promise.finally(() => signal?.removeEventListener('abort', leave));
  });
  return Object.assign(stub, {
    waiting: () => line.length,
    grant: () => next().resolve(),
    refuse: (error: Error) => next().reject(error),
  });

  function next(): PromiseWithResolvers<void> {
    const turn = line.shift();
    if (!turn) throw new Error('nobody waits for a place');
    return turn;
  }
}

function createStub(turn: (signal: AbortSignal | undefined) => Promise<void>): StubThrottle {
  const requests: AdmissionRequest[] = [];
  const outcomes: Outcome[] = [];
  let open = 0;
  let holds = 0;

  function admission(longestMs: number): Admission {
    const hold = holds;
    let given = false;
    open += 1;
    return {
      longestMs,
      isStale: () => hold !== holds,
      done: (outcome) => {
        if (given) throw new Error('a place was given back twice');
        given = true;
        open -= 1;
        outcomes.push(outcome);
      },
    };
  }

  return {
    requests,
    outcomes,
    open: () => open,
    holdAll: () => {
      holds += 1;
    },
    admit: async (request) => {
      requests.push(request);
      await turn(request.signal);
      return admission(request.timeoutMs);
    },
    placed: (request) => request,
    maySend: () => true,
    standsBy: () => false,
    isBusy: () => false,
    state: () => ({
      waiting: { interactive: 0, bulk: 0 },
      taken: open,
      allowed: 25,
      heldUntil: null,
      isStarting: false,
      isRedisAway: false,
    }),
    check: async () => undefined,
    stop: async () => undefined,
  };
}

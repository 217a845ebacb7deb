import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Ledger } from '../../src/ledger/index.ts';
import {
  type InstanceOptions,
  LEASE_MS,
  NOTHING_FOUND,
  type Rig,
  type RigFindings,
  startRig,
} from './start-rig.ts';

const HOUR_MS = 60 * 60_000;
const FILE = [{ name: 'a.pdf', size: 10 }];

let rig: Rig;
beforeEach(async () => {
  rig = await startRig();
});
afterEach(() => rig.stop());

/**
 * Suspends a machine and its clock after it saw that a create left no record; another takes over
 * and repeats the create before the first resumes.
 */
async function watchFence(guard: InstanceOptions): Promise<RigFindings> {
  const first = rig.start({ ...guard, clockStands: true });
  first.freezeAt('absent');
  rig.service.fates.push('fine', 'unsent');
  await rig.share(FILE);
  await rig.clock.advance(3 * 60_000);
  expect(first.frozen()).toBe(true);
  rig.service.fates.push('fine', 'late');
  rig.start(guard);
  await rig.clock.advance(5_000);
  first.thaw();
  await rig.clock.advance(LEASE_MS);
  // The late create has landed by then.
  await rig.comesToRest(HOUR_MS);
  return rig.findings();
}

/** A process dies during a create that has taken effect by then, or does so a while later. */
async function watchLostCreate(
  guard: InstanceOptions,
  create: 'lost' | 'late' = 'lost',
): Promise<RigFindings> {
  const first = rig.start(guard);
  rig.service.fates.push('fine', create);
  await rig.share(FILE);
  await rig.clock.advance(10_000);
  first.crash();
  rig.start(guard);
  // A late create has landed by then.
  await rig.comesToRest(HOUR_MS);
  return rig.findings();
}

/** The ledger with some of its methods replaced. */
function instead(ledger: Ledger, methods: Partial<Ledger>): Ledger {
  return { ...ledger, ...methods };
}

/** Has the processes that share it write each absence, whoever holds the claim. */
function withoutFence(): (ledger: Ledger) => Ledger {
  let holder = '';
  return (ledger) =>
    instead(ledger, {
      claimFiling: async (request) => {
        const claimed = await ledger.claimFiling(request);
        if (claimed) holder = request.token;
        return claimed;
      },
      renewLeases: async ({ tokens }) => new Set(tokens),
      markAbsent: async (claim) => ledger.markAbsent({ ...claim, token: holder }),
    });
}

/** Takes the first intent back as soon as it is written. */
function withoutIntent(ledger: Ledger): Ledger {
  let isFirst = true;
  return instead(ledger, {
    announceCreates: async (request) => {
      const announced = await ledger.announceCreates(request);
      for (const { id } of isFirst ? announced : [])
        await ledger.markNotCreated({ id, token: request.token });
      isFirst = false;
      return announced;
    },
  });
}

const withoutReconciliation: InstanceOptions['service'] = (service) => ({
  ...service,
  listFiles: async (destination, options) => ({
    ...(await service.listFiles(destination, options)),
    files: [],
  }),
});

describe('the fence of the ledger', () => {
  it('keeps a suspended process from creating a file that another has claimed', async () => {
    expect(await watchFence({})).toEqual(NOTHING_FOUND);
  });

  it('is needed: without it the file is created twice', async () => {
    expect((await watchFence({ ledger: withoutFence() })).twice).toEqual(['F0-0']);
  });
});

describe('the intent in the ledger', () => {
  it('keeps a create with a lost response from being repeated', async () => {
    expect(await watchLostCreate({})).toEqual(NOTHING_FOUND);
  });

  it('is needed: without it the file is created twice', async () => {
    expect((await watchLostCreate({ ledger: withoutIntent })).twice).toEqual(['F0-0']);
  });
});

describe('the look in the folder', () => {
  it('is needed: without it a create with a lost response is repeated', async () => {
    expect((await watchLostCreate({ service: withoutReconciliation })).twice).toEqual(['F0-0']);
  });
});

describe('the settle time before a look', () => {
  it('is long enough for a create that lands late', async () => {
    expect(await watchLostCreate({}, 'late')).toEqual(NOTHING_FOUND);
  });

  it('is needed: without it a create that lands late is repeated', async () => {
    expect((await watchLostCreate({ settleMs: 0 }, 'late')).twice).toEqual(['F0-0']);
  });
});

import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { SEED } from '../support/seed.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { NOTHING } from '../support/watch-shares.ts';
import { type CrashEnvironment, startCrashEnvironment } from './environment.ts';

const SHARES = 200;
const KILLS = 53;
/** A process begins to send a second after its start. */
const MAX_LIFE_MS = 2_500;

const MAX_BETWEEN_SHARES_MS = 1_000;

const random = seededRandom(SEED);

let environment: CrashEnvironment;
beforeAll(async () => {
  // Slow enough that there is always work to interrupt.
  environment = await startCrashEnvironment({ rateLimit: '10/1s' });
});
afterAll(() => environment.stop());

/** Shares one or two files at a time, at intervals, in two channels and some threads. */
async function shareAll(): Promise<void> {
  const parents: string[] = [];
  const posting: Promise<unknown>[] = [];
  for (let n = 0; n < SHARES; n += 1) {
    await pause(random.below(MAX_BETWEEN_SHARES_MS));
    const channel = random.below(4) === 0 ? 'design' : 'general';
    const threadTs = random.below(5) === 0 ? parents[random.below(parents.length)] : undefined;
    const inThread = channel === 'general' && threadTs !== undefined ? { threadTs } : {};
    const files = Array.from({ length: 1 + Math.floor(random.below(6) / 4) }, (_, i) => ({
      name: `share ${n} file ${i}.bin`,
      bytes: Buffer.alloc(1 + random.below(60_000), n * 3 + i + 1),
    }));
    const user = random.below(2) === 0 ? 'ben' : 'cleo';
    // Not awaited: Slack redelivers an unacknowledged event for seconds.
    const posted = environment.watch.share({
      channel,
      user,
      text: `share ${n}`,
      files,
      ...inThread,
    });
    const noted = posted.then(({ ts }) => {
      if (channel === 'general' && !threadTs) parents.push(ts);
    });
    posting.push(noted);
  }
  await Promise.all(posting);
}

/** Starts the app repeatedly and kills it each time, during its start or its work. */
async function killAgainAndAgain(): Promise<void> {
  for (let n = 0; n < KILLS; n += 1) {
    const starting = environment.begin();
    if (random.below(5) > 0) await starting.started;
    await pause(random.below(MAX_LIFE_MS));
    await starting.kill();
  }
}

it(`the app files each of ${SHARES} shares exactly once under ${KILLS} random kills`, async () => {
  console.info(`random kills: seed ${SEED}`);
  await Promise.all([shareAll(), killAgainAndAgain()]);
  const app = await environment.start();
  await app.whileAlive(environment.watch.filed(AbortSignal.timeout(240_000)));
  expect(await app.atRest()).toBe(true);
  await app.stop();
  const { reported, states, open } = environment.readLedger();
  const findings = await environment.watch.findings(reported);
  const { lost, twice, wrong, silent, chatty } = findings;
  console.info(
    `${SHARES} shares of ${environment.watch.files()} files, ${KILLS} kills: ${lost.length} lost, ` +
      `${twice.length} twice, ${wrong.length} with wrong bytes; ${SHARES - reported.size} lines of ` +
      `their own, ${silent.length} missing, ${chatty.length} twice; ${reported.size} in reports`,
  );
  expect({ findings, open }).toEqual({ findings: NOTHING, open: { transfers: 0, messages: 0 } });
  expect(states).toEqual({ filed: environment.watch.files() });
}, 420_000);

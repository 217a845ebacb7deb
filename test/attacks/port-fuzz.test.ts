import { expect, it, onTestFinished } from 'vitest';
import { readMemory } from '../bench/processes/memory.ts';
import { appSettings } from '../support/app-settings.ts';
import { attack, hostileScript } from '../support/hostile-connections.ts';
import type { RawConnection } from '../support/loopback.ts';
import { startMain } from '../support/main-process.ts';
import { FUZZ_SECONDS, SEED } from '../support/seed.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { postSigned } from '../support/slack-requests.ts';
import { startStack } from '../support/start-stack.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** How often a number of connections attack, unless it goes by time. */
const ROUNDS = 40;
const AT_ONCE = 20;
/** Fewer than make the port close connections for others. */
const MOST_OPEN = 300;
/** Of a round, at most; only ends a run that hangs. */
const ROUND_MS = 10_000;

const report = (line: string) => void process.stdout.write(`      ${line}\n`);
const MIB = 1024 ** 2;

/** Starts the app as a process of its own, between an embedded Slack and file service. */
async function startApp() {
  const stack = await startStack();
  onTestFinished(() => stack.stop());
  await stack.stopApp();
  const app = startMain(temporaryFolder(), appSettings(stack));
  onTestFinished(() => void app.child.kill('SIGKILL'));
  const [, port] = await app.wrote(/"port":(\d+).*is running/);
  const ask = async (challenge: string) => {
    const body = JSON.stringify({ type: 'url_verification', challenge });
    const since = performance.now();
    const answer = await postSigned(Number(port), body, { secret: stack.slack.signingSecret });
    expect([answer.status, await answer.json()]).toEqual([200, { challenge }]);
    return performance.now() - since;
  };
  const resident = () => readMemory(app.child.pid ?? 0)?.now ?? Number.NaN;
  return { app, port: Number(port), ask, resident };
}

it(
  `the app answers Slack while hundreds of connections do what seed ${SEED} says`,
  async () => {
    const { app, port, ask, resident } = await startApp();
    const random = seededRandom(SEED);
    const open: RawConnection[] = [];
    onTestFinished(() => {
      for (const { socket } of open) socket.destroy();
    });
    for (let n = 0; n < 100; n += 1) await ask(`before ${n}`);
    const before = resident();
    let [most, slowest] = [before, 0];
    const until = performance.now() + (FUZZ_SECONDS ?? 0) * 1_000;
    const goesOn = (round: number) => (FUZZ_SECONDS ? performance.now() < until : round < ROUNDS);
    for (let round = 0; goesOn(round); round += 1) {
      const scripts = Array.from({ length: AT_ONCE }, () => hostileScript(random));
      const attacks = Promise.all(scripts.map((script) => attack(port, script)));
      for (let n = 0; n < 5; n += 1) slowest = Math.max(slowest, await ask(`${round} ${n}`));
      open.push(...(await attacks));
      for (const { socket } of open.splice(0, open.length - MOST_OPEN)) socket.destroy();
      most = Math.max(most, resident());
    }
    report(`process grown by ${((most - before) / MIB).toFixed(1)} MiB at most`);
    report(`slowest signed request meanwhile ${slowest.toFixed(0)} ms`);
    expect(await app.stop()).toBe(0);
    expect(app.output()).not.toMatch(/"level":[56]0/);
  },
  60_000 + ROUNDS * ROUND_MS + (FUZZ_SECONDS ?? 0) * 1_000,
);

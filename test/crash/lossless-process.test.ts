import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Fault } from '../../src/playground/file-service/index.ts';
import { appSettings } from '../support/app-settings.ts';
import { type MainProcess, startMain, startWithNpm } from '../support/main-process.ts';
import { type Stack, startStack } from '../support/start-stack.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { NOTHING, type ShareWatch, watchShares } from '../support/watch-shares.ts';

/** Only ends a test that hangs. */
const PATIENCE_MS = 40_000;

let stack: Stack;
let directory: string;
const apps: MainProcess[] = [];
const npms: MainProcess[] = [];

beforeAll(async () => {
  stack = await startStack();
  await stack.stopApp();
});
afterAll(() => stack.stop());
beforeEach(() => {
  directory = temporaryFolder();
});
afterEach(() => {
  stack.service.faults.clear();
  for (const { child } of apps.splice(0)) child.kill('SIGKILL');
  for (const { child } of npms.splice(0)) toGroup(child, 'SIGKILL');
});

const settings = (): Record<string, string> => ({
  ...appSettings({ slack: stack.slack, service: stack.service }),
  DATA_DIR: join(directory, 'data'),
});

/** Starts `src/main.ts` between this Slack and this file service. */
function start(): MainProcess {
  const app = startMain(directory, settings());
  apps.push(app);
  return app;
}

async function connected(app: MainProcess): Promise<MainProcess> {
  const [, port] = await app.wrote(/"port":(\d+).*is running/);
  stack.slack.connectApp(`http://127.0.0.1:${port}`);
  return app;
}

const running = () => connected(start());

/** Runs `npm start`, as an operator and a `Procfile` do. */
function runningWithNpm(): Promise<MainProcess> {
  const app = startWithNpm(directory, settings());
  npms.push(app);
  return connected(app);
}

/** Signals the whole process group, as Ctrl-C in a terminal or some platforms do. */
function toGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(-pid, signal);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

describe('a start of the app', () => {
  it('on the folder of a running process is refused, and does not disturb that process', async () => {
    await running();
    const second = start();
    await expect(second.wrote(/is running/)).rejects.toThrow();
    expect(second.output()).toMatch(/another process has the database open/);
    const watch = watchShares(stack.slack, stack.service);
    await watch.share({ ...ONE, files: [{ name: 'first.bin', bytes: randomBytes(10) }] });
    await watch.filed(AbortSignal.timeout(PATIENCE_MS));
  });
});

const ONE = { channel: 'general', user: 'ben' };

/** Shares a file whose upload or create begins, while the service is slow or never responds. */
async function shareInHand(
  name: string,
  step: 'upload' | 'create',
  fault: Fault,
): Promise<ShareWatch> {
  const shares = watchShares(stack.slack, stack.service);
  const arrived = Promise.withResolvers<void>();
  stack.service.faults.intercept(({ operation, when }) => {
    if (operation !== step || when !== 'before') return undefined;
    arrived.resolve();
    return fault;
  });
  await shares.share({ ...ONE, files: [{ name, bytes: randomBytes(1_000) }] });
  await arrived.promise;
  return shares;
}

/** Resolves once all is filed, each once, and with no line: nobody asked for any. */
async function filedOnce(shares: ShareWatch): Promise<void> {
  await shares.filed(AbortSignal.timeout(PATIENCE_MS));
  expect({ ...(await shares.findings()), wrong: [], silent: [] }).toEqual(NOTHING);
}

describe('npm start', () => {
  it.each<[string, (npm: ChildProcess) => void]>([
    ['SIGTERM to npm alone', (npm) => void npm.kill('SIGTERM')],
    ['SIGTERM to all of its processes', (npm) => toGroup(npm, 'SIGTERM')],
    ['Ctrl-C', (npm) => toGroup(npm, 'SIGINT')],
  ])('finishes work in hand at a stop, and leaves nothing behind: %s', async (_how, tell) => {
    const app = await runningWithNpm();
    const shares = await shareInHand('with npm.bin', 'create', { mode: 'slow', ms: 700 });
    const [ended, closed] = [once(app.child, 'exit'), once(app.child, 'close')];
    tell(app.child);
    expect(await ended).toEqual([0, null]);
    await closed;
    expect(app.output().match(/Stopping: work in hand is finished first/g)).toHaveLength(1);
    stack.service.faults.clear();
    expect((await shares.findings()).lost).toEqual([]);
    // The folder can be used again: none of its processes is left.
    await running();
  });
});

describe('a process that is stopped while it works', () => {
  it('finishes work in hand, and exits with 0', async () => {
    const app = await running();
    const shares = await shareInHand('in hand.bin', 'create', { mode: 'slow', ms: 700 });
    expect(await app.stop()).toBe(0);
    stack.service.faults.clear();
    expect((await shares.findings()).lost).toEqual([]);
    await running();
    await filedOnce(shares);
  });

  it('finishes an upload in hand, and the next process files it', async () => {
    const app = await running();
    const shares = await shareInHand('sent.bin', 'upload', { mode: 'slow', ms: 700 });
    expect(await app.stop()).toBe(0);
    stack.service.faults.clear();
    await running();
    await filedOnce(shares);
  });

  it('shuts down in order on SIGINT too', async () => {
    const app = await running();
    const ended = once(app.child, 'exit');
    app.child.kill('SIGINT');
    expect((await ended)[0]).toBe(0);
    expect(app.output()).toContain('Stopping: work in hand is finished first');
  });

  it('exits at once on a second Ctrl-C, and the next process files the rest', async () => {
    const app = await running();
    const shares = await shareInHand('hanging.bin', 'upload', { mode: 'hang' });
    const ended = app.stop();
    // A second signal within a moment counts as the first.
    const impatient = setInterval(() => app.child.kill('SIGINT'), 100);
    expect(await ended).toBe(1);
    clearInterval(impatient);
    stack.service.faults.clear();
    await running();
    await filedOnce(shares);
  });
});

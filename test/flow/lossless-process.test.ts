import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type AppProcess, startAppProcess } from '../support/app-process.ts';
import { appSettings } from '../support/app-settings.ts';
import { type Stack, startStack } from '../support/start-stack.ts';
import { NOTHING, watchShares } from '../support/watch-shares.ts';

let stack: Stack;
let directory: string;
const apps: AppProcess[] = [];

beforeAll(async () => {
  stack = await startStack();
  await stack.stopApp();
});
afterAll(() => stack.stop());
afterEach(() => {
  for (const { child } of apps.splice(0)) child.kill('SIGKILL');
  rmSync(directory, { recursive: true, force: true });
});

/** `npm start` between this Slack and this file service. */
function start(more: Record<string, string> = {}): AppProcess {
  const { slack, service } = stack;
  const app = startAppProcess(directory, {
    ...appSettings({ slack, service }),
    DATA_DIR: join(directory, 'data'),
    ...more,
  });
  apps.push(app);
  return app;
}

async function running(more: Record<string, string> = {}): Promise<AppProcess> {
  const app = start(more);
  const [, port] = await app.wrote(/"port":(\d+).*is running/);
  stack.slack.connectApp(`http://127.0.0.1:${port}`);
  return app;
}

const newDirectory = () => {
  directory = mkdtempSync(join(tmpdir(), 'pigeonhole-process-'));
};

describe('a start', () => {
  it.each([
    [
      'over a file that is no database',
      () => {
        mkdirSync(join(directory, 'data'));
        writeFileSync(join(directory, 'data', 'pigeonhole.sqlite'), randomBytes(8_192));
      },
      /file is no database; restore it or move it away/,
    ],
    [
      'where the data folder is a file',
      () => writeFileSync(join(directory, 'data'), ''),
      /DATA_DIR is no folder; choose another/,
    ],
  ])('%s says what to mend', async (_where, prepare, words) => {
    newDirectory();
    prepare();
    const app = start();
    await expect(app.wrote(/is running/)).rejects.toThrow();
    expect(await app.stop()).toBe(1);
    expect(app.output()).toMatch(/^Pigeonhole cannot start\.\n/m);
    expect(app.output()).toMatch(words);
  });

  it('on the folder of another process is refused, and leaves that one alone', async () => {
    newDirectory();
    await running();
    const second = start();
    await expect(second.wrote(/is running/)).rejects.toThrow();
    expect(second.output()).toMatch(/another process has the database open/);
    const watch = watchShares(stack.slack, stack.service);
    await watch.share({ ...ONE, files: [{ name: 'first.bin', bytes: randomBytes(10) }] });
    await watch.settled(AbortSignal.timeout(10_000));
  });

  it('on a port that is taken says so', async () => {
    newDirectory();
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, resolve));
    const { port } = other.address() as AddressInfo;
    const app = start({ PORT: String(port) });
    await expect(app.wrote(/is running/)).rejects.toThrow();
    other.close();
    expect(app.output()).toMatch(new RegExp(`PORT ${port} cannot be used`));
  });
});

const ONE = { channel: 'general', user: 'ben' };

describe('a process that is told to end while it works', () => {
  it('finishes what is in hand, and ends with 0', async () => {
    newDirectory();
    const watch = watchShares(stack.slack, stack.service);
    const app = await running();
    const arrived = Promise.withResolvers<void>();
    stack.service.faults.intercept(({ operation, when }) => {
      if (operation !== 'upload' || when !== 'before') return undefined;
      arrived.resolve();
      return { mode: 'slow', ms: 700 };
    });
    await watch.share({ ...ONE, files: [{ name: 'in hand.bin', bytes: randomBytes(1_000) }] });
    await arrived.promise;
    expect(await app.stop()).toBe(0);
    stack.service.faults.clear();
    expect((await watch.findings()).lost).toEqual([]);
    await running();
    await watch.settled(AbortSignal.timeout(15_000));
    expect({ ...(await watch.findings()), wrong: [] }).toEqual(NOTHING);
  }, 30_000);

  it('ends at once at the second signal, and the next one files what it had in hand', async () => {
    newDirectory();
    const watch = watchShares(stack.slack, stack.service);
    const app = await running();
    const arrived = Promise.withResolvers<void>();
    stack.service.faults.intercept(({ operation }) => {
      if (operation === 'upload') arrived.resolve();
      return operation === 'upload' ? { mode: 'hang' } : undefined;
    });
    await watch.share({ ...ONE, files: [{ name: 'hanging.bin', bytes: randomBytes(1_000) }] });
    await arrived.promise;
    const ended = app.stop();
    await app.wrote(/Stopping: work in hand is finished first/);
    app.child.kill('SIGTERM');
    expect(await ended).toBe(1);
    stack.service.faults.clear();
    await running();
    await watch.settled(AbortSignal.timeout(15_000));
    expect({ ...(await watch.findings()), wrong: [] }).toEqual(NOTHING);
  }, 30_000);
});

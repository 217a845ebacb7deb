import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FOLDER } from '../support/app-settings.ts';
import { person, screen } from '../support/person.ts';
import { type Stack, settledShare, sha256, startStack } from '../support/start-stack.ts';
import { lineOf } from '../support/thread-of.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await startStack({ socketMode: true, seams: { historyEveryMs: 0 } });
  await stack.slack.until(() => stack.slack.socket.connections() > 0);
});
afterAll(() => stack.stop());

const filed = (name: string) =>
  stack.service.store.files(FOLDER).filter((file) => file.name === name);

describe('Socket Mode', () => {
  it('files a share, acknowledged when the ledger has it', async () => {
    const bytes = randomBytes(50_000);
    const files = [{ name: 'socket.bin', bytes }];
    const posted = await stack.slack.share({ channel: 'general', user: 'ben', files });
    expect(posted.deliveries).toMatchObject([{ via: 'socket', status: 200 }]);
    await settledShare(stack.slack, posted);
    await lineOf(stack.slack, posted, /^Filed in .*socket\.bin/);
    expect(filed('socket.bin')).toMatchObject([{ sha256: sha256(bytes) }]);
  });

  it('answers commands and buttons', async () => {
    const ben = person(stack.slack, 'ben');
    const list = await ben.types('/files');
    expect(screen(list)).toContain('| socket.bin');
    expect(screen(await ben.presses(list, 'Delete', 'socket.bin'))).toContain('Deleted socket.bin');
    expect(filed('socket.bin')).toEqual([]);
  });

  it('refuses what is posted over HTTP, and still tells its health', async () => {
    const origin = `http://127.0.0.1:${stack.port}`;
    const posted = await fetch(`${origin}/slack/events`, { method: 'POST', body: '{}' });
    expect(posted.status).toBe(404);
    expect((await fetch(`${origin}/healthz`)).status).toBe(200);
  });

  // Slack's client waits five seconds before it connects again.
  it('catches up, after a lost connection, on what was shared meanwhile', async () => {
    const bytes = randomBytes(900);
    const files = [{ name: 'meanwhile.bin', bytes }];
    const share = { channel: 'general', user: 'ben', files, deliver: false };
    const posted = await stack.slack.share(share);
    stack.slack.socket.drop();
    await settledShare(stack.slack, posted);
    expect(stack.slack.socket.connections()).toBe(1);
    expect(filed('meanwhile.bin')).toMatchObject([{ sha256: sha256(bytes) }]);
  }, 15_000);
});

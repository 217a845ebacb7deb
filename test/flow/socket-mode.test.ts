import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FOLDER } from '../support/app-settings.ts';
import { person, screen } from '../support/person.ts';
import { lineOf, settledShare } from '../support/slack-channel.ts';
import { type Stack, sha256, startStack } from '../support/start-stack.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await startStack({ socketMode: true, appOptions: { historyEveryMs: 0 } });
  await stack.slack.until(() => stack.slack.socket.connections() > 0);
});
afterAll(() => stack.stop());

const filed = (name: string) =>
  stack.service.store.files(FOLDER).filter((file) => file.name === name);

describe('Socket Mode', () => {
  it('files a share, acknowledged once the ledger has it', async () => {
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
    expect(screen(list)).toContain('| [socket.bin → ');
    expect(screen(await ben.deletes(list, 'socket.bin'))).toContain('Deleted socket.bin');
    expect(filed('socket.bin')).toEqual([]);
  });

  it('refuses requests to the events address over HTTP, and still serves its health', async () => {
    const origin = `http://127.0.0.1:${stack.port}`;
    const posted = await fetch(`${origin}/slack/events`, { method: 'POST', body: '{}' });
    expect(posted.status).toBe(404);
    expect((await fetch(`${origin}/healthz`)).status).toBe(200);
  });

  it('files, after a lost connection, what was shared meanwhile', async () => {
    const bytes = randomBytes(900);
    const files = [{ name: 'meanwhile.bin', bytes }];
    const share = { channel: 'general', user: 'ben', files, deliver: false };
    const posted = await stack.slack.share(share);
    stack.slack.socket.drop();
    await settledShare(stack.slack, posted);
    expect(stack.slack.socket.connections()).toBe(1);
    expect(filed('meanwhile.bin')).toMatchObject([{ sha256: sha256(bytes) }]);
  });

  it('starts unready while Slack gives no connection, and files later what was missed', async () => {
    const { slack } = stack;
    const readiness = async () => {
      const answer = await fetch(`http://127.0.0.1:${stack.port}/readyz`);
      return { status: answer.status, ...((await answer.json()) as object) };
    };
    await stack.stopApp();
    slack.fail('apps.connections.open', 503, 1_000);
    await stack.startApp();
    expect(await readiness()).toMatchObject({ status: 503, slack: 'ok', socket: 'does not work' });
    const files = [{ name: 'unheard.bin', bytes: randomBytes(900) }];
    const share = { channel: 'general', user: 'ben', files, deliver: false };
    const posted = await slack.share(share);
    slack.clearFaults();
    await settledShare(slack, posted);
    await slack.until(async () => (await readiness()).status === 200);
    expect(filed('unheard.bin')).toHaveLength(1);
  });
});

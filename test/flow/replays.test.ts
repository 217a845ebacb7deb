import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createClock, systemClock } from '../../src/base/index.ts';
import type { Ledger } from '../../src/ledger/index.ts';
import { FOLDER_FIELD } from '../../src/surfaces/link/folder-form-view.ts';
import { PROJECT, QUOTES, WITHOUT_DEFAULT } from '../support/app-settings.ts';
import { aroundLedger, type LedgerHooks } from '../support/around-ledger.ts';
import { createListLogger } from '../support/list-logger.ts';
import { person, screen, unlink } from '../support/person.ts';
import { announced, linkChannel, settledShare } from '../support/slack-channel.ts';
import { startServer } from '../support/start-server.ts';
import { startStack } from '../support/start-stack.ts';

/** A request as Slack sent it, signature and all. */
interface Captured {
  body: string;
  headers: Record<string, string>;
}

/** Starts everything, and somebody between Slack and the app who keeps a copy of each request. */
async function listenedIn(hooks: LedgerHooks = {}, clock = systemClock) {
  const { logger, lines } = createListLogger();
  const around = (ledger: Ledger) => aroundLedger(ledger, hooks);
  const stack = await startStack({
    env: WITHOUT_DEFAULT,
    appOptions: { logger, clock, aroundLedger: around },
  });
  onTestFinished(() => stack.stop());
  const captured: Captured[] = [];
  const send = ({ body, headers }: Captured) =>
    fetch(`http://127.0.0.1:${stack.port}/slack/events`, { method: 'POST', body, headers });
  const pass = async (request: IncomingMessage, response: ServerResponse) => {
    const one = { body: await text(request), headers: ofSlack(request.headers) };
    captured.push(one);
    const answer = await send(one);
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' });
    response.end(await answer.text());
  };
  const proxy = await startServer((request, response) => {
    pass(request, response).catch(() => response.destroy());
  });
  stack.slack.connectApp(proxy);
  /** Sends the last request that holds these words once more, its signature respelled. */
  const replay = async (words: string, respelled: (signature: string) => string = (one) => one) => {
    const last = captured.findLast(({ body }) => decodeURIComponent(body).includes(words));
    if (!last) throw new Error(`Slack sent nothing with ${words}`);
    const signature = respelled(last.headers['x-slack-signature'] ?? '');
    const headers = { ...last.headers, 'x-slack-signature': signature };
    const answer = await send({ ...last, headers });
    return { status: answer.status, body: await answer.text() };
  };
  const refused = () =>
    lines
      .filter((line) => line.text === 'Requests to the port were refused')
      .map((one) => one.fields);
  const ada = person(stack.slack, 'ada');
  const standing = async () => screen(await ada.types('/files help', 'design'));
  return { stack, slack: stack.slack, ada, replay, refused, standing };
}

function ofSlack(headers: IncomingHttpHeaders): Record<string, string> {
  const given = Object.entries(headers).filter(([name]) =>
    /^(x-slack-.*|content-type)$/.test(name),
  );
  return Object.fromEntries(given.map(([name, value]) => [name, String(value)]));
}

/** Other spellings of a signature that Bolt takes for the same. */
const RESPELLED: [string, (signature: string) => string][] = [
  ['with more behind it', (signature) => `${signature}=`],
  ['in capitals', (signature) => signature.replace(/[a-f]+/g, (letters) => letters.toUpperCase())],
];

const NOTHING = { status: 200, body: '' };
const ONCE = [{ requests: 1, why: { 'sent again': 1 } }];

describe('a request of Slack’s that somebody sends once more', () => {
  it.each(RESPELLED)('is not signed with its signature %s', async (_how, respelled) => {
    const { stack, ada, replay, standing } = await listenedIn();
    await linkChannel(stack, 'design', QUOTES);
    const before = await standing();
    await ada.types('/files help', 'design');
    expect(await replay('help', respelled)).toMatchObject({ status: 401 });
    expect(await standing()).toEqual(before);
  });

  it.each(['at once', 'after a restart'])('does nothing if it is a command: %s', async (when) => {
    const { stack, slack, replay, refused, standing } = await listenedIn();
    await linkChannel(stack, 'design', QUOTES);
    await announced(stack, 'design', () => unlink(slack, 'ada', 'design'));
    const before = await standing();
    expect(before).not.toContain('Quotes');
    if (when === 'after a restart') await stack.restart();
    const again = await replay('text=link');
    // Takes as long as a link of this channel would.
    await linkChannel(stack, 'board', QUOTES);
    expect(await standing()).toBe(before);
    expect(again).toEqual(NOTHING);
    expect(refused()).toEqual(ONCE);
  });

  it('does nothing, and the first counts, when our clock was an hour ahead and is set right', async () => {
    let aheadMs = 3_600_000;
    const wall = () => Date.now() + aheadMs;
    const clock = createClock({ wall, elapsed: () => performance.now() });
    const { ada, replay, refused } = await listenedIn({}, clock);
    aheadMs = 0;
    expect(screen(await ada.types('/files help', 'design'))).toContain('/files');
    expect(await replay('text=help')).toEqual(NOTHING);
    expect(refused()).toEqual(ONCE);
  });

  it('does nothing if it is a press', async () => {
    const { stack, slack, ada, replay, refused } = await listenedIn();
    await linkChannel(stack, 'design', QUOTES);
    const files = [{ name: 'once.txt', bytes: 'once' }];
    await settledShare(slack, await slack.share({ channel: 'design', user: 'ada', files }));
    const list = await ada.types('/files', 'design');
    await ada.deletes(list, 'once.txt');
    expect(await replay('"type":"block_actions"')).toEqual(NOTHING);
    expect(refused()).toEqual(ONCE);
  });

  it('does nothing if it is a form, and searching in the form goes on', async () => {
    const { stack, slack, replay, refused } = await listenedIn();
    await slack.command({ command: '/files', text: 'link', user: 'ada', channel: 'design' });
    const view = await slack.until(() => slack.views('ada').at(-1));
    const search = { view: view.id, user: 'ada', actionId: FOLDER_FIELD, typed: 'move' };
    const { body } = await slack.suggest(search);
    const again = await replay('"type":"block_suggestion"');
    expect(JSON.parse(again.body)).toEqual(body);
    const values = { [FOLDER_FIELD]: `${PROJECT}/${QUOTES}` };
    await announced(stack, 'design', () => slack.submitView({ user: 'ada', values }));
    expect(refused()).toEqual([]);
    expect(await replay('"type":"view_submission"')).toEqual(NOTHING);
    expect(refused()).toEqual(ONCE);
  });

  it('does nothing if it is a shortcut', async () => {
    const { stack, slack, replay, refused } = await listenedIn();
    await linkChannel(stack, 'design', QUOTES);
    const files = [{ name: 'where.txt', bytes: 'where' }];
    const posted = await slack.share({ channel: 'design', user: 'ada', files });
    await settledShare(slack, posted);
    const message = { channel: posted.channel, ts: posted.ts };
    await slack.shortcut({ callbackId: 'where_filed', user: 'ada', message });
    expect(await replay('"type":"message_action"')).toEqual(NOTHING);
    expect(refused()).toEqual(ONCE);
  });

  it('is acknowledged if it is an event, and its files are filed once', async () => {
    const { stack, slack, replay, refused } = await listenedIn();
    await linkChannel(stack, 'design', QUOTES);
    const files = [{ name: 'event.txt', bytes: 'event' }];
    await settledShare(slack, await slack.share({ channel: 'design', user: 'ada', files }));
    expect((await replay('event.txt')).status).toBe(200);
    expect(refused()).toEqual([]);
    expect(stack.service.store.files(QUOTES).map(({ name }) => name)).toEqual(['event.txt']);
  });
});

describe('a command while the database', () => {
  it.each([
    ['fails', () => Promise.reject(new Error('the connection broke'))],
    ['hangs', () => new Promise<void>(() => undefined)],
  ])('%s is answered', async (_what, noteRequest) => {
    const { standing } = await listenedIn({
      before: ({ method }) => (method === 'noteRequest' ? noteRequest() : undefined),
    });
    expect(await standing()).toContain('/files');
  });
});

import { cp, rm } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Posted } from '../../src/playground/embedded-slack/index.ts';
import { FOLDER } from '../support/app-settings.ts';
import { aroundLedger, type LedgerCall } from '../support/around-ledger.ts';
import { createFastClock } from '../support/fake-clock.ts';
import { putEmptyLedger } from '../support/open-empty-ledger.ts';
import { person, placeOfButton } from '../support/person.ts';
import { lineOf, linkChannel, settledShare } from '../support/slack-channel.ts';
import { type Stack, startStack } from '../support/start-stack.ts';

/** A minute later than the shares of the first life. */
const clock = createFastClock(1, 60_000);

let stack: Stack;
/** How often the app has caught a channel up. */
let caughtUp: number;
/** How many files it recorded because history brought them. */
let recorded: number;
/** How many files it marked as filed. */
let filed: number;
const after = (call: LedgerCall) => {
  if (call.method === 'finishCatchUp') caughtUp += 1;
  if (call.method === 'recordFound' && call.when === 'after')
    recorded += (call.answer as { files: number }).files;
  if (call.method === 'markFiled' && call.when === 'after') filed += 1;
};

beforeEach(async () => {
  [caughtUp, recorded, filed] = [0, 0, 0];
  stack = await startStack({
    appOptions: {
      historyEveryMs: 0,
      backoffScale: 0.02,
      aroundLedger: (ledger) => aroundLedger(ledger, { after }),
    },
  });
});
afterEach(() => stack.stop());

/** Shares a file, all of one size, and resolves once it is filed. */
async function file(name: string): Promise<Posted> {
  const posted = await share(name);
  await settledShare(stack.slack, posted);
  return posted;
}

function share(name: string, more: { deliver?: boolean; threadTs?: string } = {}) {
  const files = [{ name, bytes: 'same size' }];
  return stack.slack.share({ channel: 'general', user: 'ben', files, ...more });
}

const names = () => stack.service.store.files(FOLDER).map(({ name }) => name);

function removeRecord(name: string): void {
  const record = stack.service.store.files(FOLDER).find((one) => one.name === name);
  stack.service.store.deleteFile(record?.id ?? 0);
}

/** Resolves with a message of the app in the channel once one matches. */
const said = (words: RegExp) =>
  stack.slack.until(async () =>
    (await stack.slack.state('general')).find(({ text }) => words.test(text ?? '')),
  );

const copy = (from: string, to: string) => cp(from, to, { recursive: true });

/** Puts the ledger back as it was when `before` had been done. */
async function forget(before: () => Promise<void>, since: () => Promise<void>): Promise<void> {
  await before();
  const kept = `${stack.appDir}-kept`;
  await stack.stopApp();
  await copy(stack.appDir, kept);
  await stack.startApp();
  await since();
  await stack.stopApp();
  await rm(stack.appDir, { recursive: true });
  await copy(kept, stack.appDir);
}

describe('a ledger that was put back from a copy', () => {
  it('files nothing twice, nothing that people deleted, and all that it missed', async () => {
    let deleted: Posted | undefined;
    await forget(
      async () => void (await file('first.txt')),
      async () => {
        const thread = await file('since.txt');
        await file('since.txt');
        deleted = await file('deleted.txt');
        await settledShare(stack.slack, {
          ...(await share('reply.txt', { threadTs: thread.ts })),
          threadTs: thread.ts,
        });
        removeRecord('deleted.txt');
      },
    );
    await share('missed.txt', { deliver: false });
    await stack.startApp();
    await said(/^While I was away, 4 files were shared here: 3 filed, 1 couldn’t be filed/);
    await said(/^While I was away, 1 file was shared here, and it’s filed/);
    const all = ['first.txt', 'since.txt', 'since.txt', 'reply.txt', 'missed.txt'];
    expect(names().toSorted()).toEqual(all.toSorted());
    if (!deleted) return expect.unreachable();
    const line = await lineOf(stack.slack, deleted, /filed before, and isn’t in the folder/);
    const message = { channel: deleted.channel, ts: line.ts };
    await stack.slack.press({ message, user: 'ben', ...placeOfButton(line, 'Try again') });
    await settledShare(stack.slack, deleted);
    expect(names().toSorted()).toEqual([...all, 'deleted.txt'].toSorted());
  });

  it('sends nothing again that was in hand then', async () => {
    let inHand: Posted | undefined;
    await forget(
      async () => {
        await file('first.txt');
        stack.service.faults.next({ mode: '503' }, 100, 'upload');
        inHand = await share('in-hand.txt');
        await lineOf(stack.slack, inHand, /Trying again/);
      },
      async () => {
        stack.service.faults.clear();
        if (inHand) await settledShare(stack.slack, inHand);
      },
    );
    await stack.startApp({ clock });
    await stack.slack.until(() => filed === 3);
    expect(names()).toEqual(['first.txt', 'in-hand.txt']);
  });

  it('sends nothing that its folder may hold, while that may not be listed', async () => {
    await forget(
      async () => void (await file('first.txt')),
      async () => {
        await file('marked.txt');
        stack.slack.fail('reactions.add', 503, 100);
        await share('bare.txt');
        await stack.slack.until(() => filed === 3);
      },
    );
    stack.slack.clearFaults();
    const lists = () =>
      stack.service.requests.list().filter(({ operation }) => operation === 'list').length;
    const before = lists();
    stack.service.faults.next({ mode: '403' }, 1_000, 'list');
    await stack.startApp({ clock: createFastClock(20, 60_000) });
    await stack.slack.until(() => lists() >= before + 2);
    stack.service.faults.clear();
    await linkChannel(stack, 'general', FOLDER);
    await stack.slack.until(() => filed === 5);
    expect(names()).toEqual(['first.txt', 'marked.txt', 'bare.txt']);
  });
});

describe('a ledger that was lost', () => {
  async function lose(): Promise<void> {
    await stack.stopApp();
    await rm(stack.appDir, { recursive: true });
    await putEmptyLedger(stack.appDir);
    await stack.startApp({ clock });
  }

  it('files nothing from before its start until somebody asks for it', async () => {
    await file('before.txt');
    await stack.stopApp();
    await share('unheard.txt', { deliver: false });
    await lose();
    await file('later.txt');
    caughtUp = 0;
    await stack.restart({ clock });
    await stack.slack.until(() => caughtUp >= 2);
    expect(recorded).toBe(0);
    expect(names()).toEqual(['before.txt', 'later.txt']);
  });

  it('files of a channel’s past, once it is asked to, nothing that was filed before', async () => {
    await file('filed.txt');
    await file('deleted.txt');
    removeRecord('deleted.txt');
    await stack.stopApp();
    await share('missed.txt', { deliver: false });
    await lose();
    await linkChannel(stack, 'general', FOLDER);
    const offer = await stack.slack.until(() =>
      stack.slack
        .ephemerals('ada', 'general')
        .find(({ text }) => text.includes('shared here before')),
    );
    await person(stack.slack, 'ada').presses(offer, 'File them');
    await said(/^3 earlier files: 2 filed, 1 couldn’t be filed/);
    expect(names().toSorted()).toEqual(['filed.txt', 'missed.txt']);
  });
});

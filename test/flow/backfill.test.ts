import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type {
  Ephemeral,
  FileVariant,
  Posted,
  ShownMessage,
} from '../../src/playground/embedded-slack/index.ts';
import { QUOTES, WITHOUT_DEFAULT } from '../support/app-settings.ts';
import { createFastClock, LATER_MS } from '../support/fake-clock.ts';
import { type Person, person, screen } from '../support/person.ts';
import { linkChannel, settledShare } from '../support/slack-channel.ts';
import { type Stack, startStack } from '../support/start-stack.ts';

let stack: Stack;
let ada: Person;
let earlier: Posted[];
beforeEach(async () => {
  stack = await startStack({
    env: WITHOUT_DEFAULT,
    appOptions: { historyEveryMs: 0, clock: createFastClock(4, LATER_MS) },
  });
  ada = person(stack.slack, 'ada');
  const first = await share('one.txt');
  earlier = [first, await share('two.txt'), await share('in thread.txt', first.ts)];
  await linkChannel(stack, 'general', QUOTES);
});
afterEach(() => stack.stop());

function share(name: string, threadTs?: string, variant?: FileVariant) {
  const file = { name, bytes: `bytes of ${name}`, ...(variant ? { variant } : {}) };
  const place = { channel: 'general', ...(threadTs ? { threadTs } : {}) };
  return stack.slack.share({ ...place, user: 'ben', files: [file], deliver: false });
}

const filed = () => stack.service.store.files(QUOTES).map(({ name }) => name);

/** Resolves with the private offer to file the earlier files. */
function offered(): Promise<Ephemeral> {
  return stack.slack.until(() =>
    stack.slack
      .ephemerals('ada', 'general')
      .find(({ text }) => text.includes('shared here before')),
  );
}

/** Presses "File them", and checks the answer. */
async function askFor(offer: Ephemeral): Promise<void> {
  expect(screen(await ada.presses(offer, 'File them'))).toContain('I’ll post progress here');
}

/** Resolves with the report in the channel once it matches. */
function reported(words: RegExp): Promise<ShownMessage> {
  return stack.slack.until(async () =>
    (await stack.slack.state('general')).find(({ text }) => words.test(text ?? '')),
  );
}

async function reportsSaid(): Promise<number> {
  const messages = await stack.slack.state('general');
  return messages.filter(({ text }) => /earlier file|shared here before/.test(text ?? '')).length;
}

describe('the files that a channel held before its link', () => {
  it('are filed on request, in one report, with their messages left unchanged', async () => {
    await share('link.gdoc', undefined, { mode: 'external' });
    await askFor(await offered());
    const report = await reported(/^4 earlier files: 3 filed, 1 couldn’t be filed\./);
    expect(report.text).toContain('1 of 4 couldn’t be filed: link.gdoc – Slack has only a link');
    expect(filed().toSorted()).toEqual(['in thread.txt', 'one.txt', 'two.txt']);
    const links = [...JSON.stringify(report.blocks).matchAll(/"type":"link","url":"([^"]*)"/g)];
    const records = stack.service.store.files(QUOTES);
    const opened = records.map(({ id }) => `${stack.service.accountUrl}/files/${id}/download`);
    expect(links.map(([, url]) => url).sort()).toEqual(opened.sort());
    expect(await reportsSaid()).toBe(1);
    const messages = await stack.slack.state('general');
    const [first] = messages.filter(({ ts }) => ts === earlier[0]?.ts);
    expect(first?.replies.map(({ ts }) => ts)).toEqual([earlier[2]?.ts]);
    expect([...messages, ...(first?.replies ?? [])].flatMap((one) => one.reactions ?? [])).toEqual(
      [],
    );
  });

  it('exclude a later file whose event is late, which gets its own reaction', async () => {
    const offer = await offered();
    const thread = earlier[0]?.ts ?? '';
    const { ts } = await share('fresh.txt', thread);
    const since = {
      findHistoryMarks: async () => ({
        ...{ confirmedTs: ts, threadsTs: ts, joinedTs: null, restDue: null },
      }),
    };
    await stack.restart({ aroundLedger: (ledger) => ({ ...ledger, ...since }) });
    await askFor(offer);
    await reported(/^3 earlier files: 3 filed\.\nFiled: /);
    const [parent] = (await stack.slack.state('general')).filter((one) => one.ts === thread);
    const message = parent?.replies.find((reply) => reply.ts === ts);
    const channel = stack.slack.ids.channels['general'];
    await stack.slack.sendEvent({ ...message, type: 'message', channel, event_ts: ts });
    await settledShare(stack.slack, { channel: 'general', ts, threadTs: thread });
    expect(filed()).toContain('fresh.txt');
  });
});

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Ephemeral, ShownMessage } from '../../src/playground/embedded-slack/index.ts';
import { PROJECT, QUOTES, WITHOUT_DEFAULT } from '../support/app-settings.ts';
import { createFastClock, LATER_MS } from '../support/fake-clock.ts';
import { type Person, person, placeOfButton, screen, unlink } from '../support/person.ts';
import { announced } from '../support/slack-channel.ts';
import { type Stack, startStack } from '../support/start-stack.ts';

const OLD_FILES = 37;

let stack: Stack;
let ada: Person;
beforeEach(async () => {
  stack = await startStack({
    env: WITHOUT_DEFAULT,
    slack: { historyPageLimit: 10 },
    // One at a time, so that the order is visible and there is time to press Stop.
    appOptions: {
      historyEveryMs: 1,
      worker: { concurrency: 1, leaseMs: 5_000 },
      clock: createFastClock(4, LATER_MS),
    },
  });
  stack.service.faults.set({ mode: 'slow', ms: 60 }, { only: 'upload' });
  ada = person(stack.slack, 'ada');
  for (let n = 0; n < OLD_FILES; n += 1) await shareUnseen(n);
});
afterEach(() => stack.stop());

/** Puts two thirds at the top of the channel, and the others in a thread. */
let thread = '';
async function shareUnseen(n: number): Promise<void> {
  const share = { channel: 'design', user: 'ben', deliver: false };
  const files = [{ name: `old ${String(n).padStart(2, '0')}.txt`, bytes: `bytes of ${n}` }];
  const inThread = n % 3 === 2 ? { threadTs: thread } : {};
  const { ts } = await stack.slack.share({ ...share, files, ...inThread });
  if (n === 0) thread = ts;
}

const filed = () => stack.service.store.files(QUOTES).map(({ name }) => name);

const command = (text: string) =>
  stack.slack.command({ command: '/files', text, user: 'ada', channel: 'design' });

/** Links the channel; resolves with the offer that follows. */
async function offer(): Promise<Ephemeral> {
  const before = stack.slack.ephemerals('ada', 'design').length;
  await announced(stack, 'design', () => command(`link ${PROJECT}/${QUOTES}`));
  return stack.slack.until(() =>
    stack.slack
      .ephemerals('ada', 'design')
      .slice(before)
      .find(({ text }) => text.includes('shared here before')),
  );
}

const reports = async (): Promise<ShownMessage[]> =>
  (await stack.slack.state('design')).filter(({ text }) => /earlier file/.test(text ?? ''));

/** Resolves with the last report once it matches. */
const reportSays = (words: RegExp) =>
  stack.slack.until(async () =>
    (await reports()).filter(({ text }) => words.test(text ?? '')).at(-1),
  );

describe('the files that a channel held before it was linked', () => {
  it('are offered by their top-level count, filed completely, oldest first, in one report', async () => {
    const asked = await offer();
    const atTop = Math.ceil((OLD_FILES * 2) / 3);
    expect(screen(asked)).toContain(`At least ${atTop} files were shared here before.`);
    await ada.presses(asked, 'File them');
    const report = await reportSays(/\d+ to go/);
    const done = await reportSays(new RegExp(`: ${OLD_FILES} filed\\.`));
    expect(done.ts).toBe(report.ts);
    expect(await reports()).toHaveLength(1);
    expect(filed()).toEqual(filed().toSorted());
    expect(new Set(filed()).size).toBe(OLD_FILES);
  });

  it('are left when somebody presses Stop, and resumed from there later', async () => {
    await ada.presses(await offer(), 'File them');
    const report = await reportSays(/\d+ to go/);
    const { actionId, blockId } = placeOfButton(report, 'Stop');
    const message = { channel: 'design', ts: report.ts };
    await stack.slack.press({ message, user: 'ada', actionId, blockId });
    // The file being sent at the press is filed, ahead of those that wait for their folder.
    const stopped = await reportSays(/^Stopped filing(?!.*still on the way)/);
    expect(stopped.ts).toBe(report.ts);
    const first = filed();
    expect(first.length).toBeLessThan(OLD_FILES);
    await unlink(stack.slack, 'ada', 'design');
    const again = await offer();
    expect(screen(again)).toContain('were shared here before');
    await ada.presses(again, 'File them');
    await reportSays(/^(\d+) earlier files: \1 filed/);
    const rest = filed().slice(first.length);
    expect(first).toEqual(first.toSorted());
    expect(rest).toEqual(rest.toSorted());
    expect(new Set(filed()).size).toBe(OLD_FILES);
    expect(filed()).toHaveLength(OLD_FILES);
  });
});

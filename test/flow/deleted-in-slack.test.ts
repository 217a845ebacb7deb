import { afterEach, describe, expect, it } from 'vitest';
import type { Ephemeral, Posted } from '../../src/playground/embedded-slack/index.ts';
import { FOLDER } from '../support/app-settings.ts';
import { createFastClock } from '../support/fake-clock.ts';
import { person, placeOfButton, screen } from '../support/person.ts';
import { lineOf, settledShare } from '../support/slack-channel.ts';
import { byProfile, type Stack, startStack } from '../support/start-stack.ts';

let stack: Stack;
afterEach(() => stack.stop());

// Retries after seconds, and a window of ten seconds, pass quickly on this clock. So does the time
// that a text waits for its folder's name: the app knows the name before anything is shared.
const start = async (env: Record<string, string> = {}) => {
  stack = await startStack({ env, appOptions: { clock: createFastClock(10) } });
  const ada = person(stack.slack, 'ada');
  const lists = async () => screen(await ada.types('/files'));
  await stack.slack.until(async () => (await lists()).includes('Office move › All files'));
};

async function share(names: string[], user = 'ben', channel = 'general'): Promise<Posted> {
  const files = names.map((name) => ({ name, bytes: `bytes of ${name}` }));
  const posted = await stack.slack.share({ channel, user, files });
  await settledShare(stack.slack, posted);
  await lineOf(stack.slack, posted, /^Filed in/);
  return posted;
}

const deleteMessage = ({ channel, ts }: Posted, user = 'ben') =>
  stack.slack.as(user, 'chat.delete', { channel, ts });
const deleteFile = (file: string | undefined, user = 'ben') =>
  stack.slack.as(user, 'files.delete', { file });

const questions = (user = 'ben') =>
  stack.slack.ephemerals(user).filter(({ text }) => /deleted in Slack/.test(text));
const question = (user = 'ben') => stack.slack.until(() => questions(user)[0]);

const isThere = (name: string) =>
  stack.service.store.files(FOLDER).some((file) => file.name === name);
const gone = (name: string) => stack.slack.until(() => !isThere(name));

/** Files and deletes another share: the effects of earlier events have shown by then. */
async function afterAnother(): Promise<void> {
  await share(['another.txt']);
  const another = await share(['one more.txt'], 'cleo');
  await deleteMessage(another, 'cleo');
  await question('cleo');
}

describe('a filed file that is deleted in Slack', () => {
  it('is asked about privately, and the press of its sharer deletes the filed copy', async () => {
    await start();
    const { fileIds } = await share(['own.txt']);
    await deleteFile(fileIds[0]);
    const asked = await question();
    expect(asked.text).toBe(
      'own.txt was deleted in Slack. Delete it from Office move › All files too?',
    );
    expect(isThere('own.txt')).toBe(true);
    const after = await person(stack.slack, 'ben').presses(asked, 'Delete file');
    expect(screen(after)).toContain('Deleted own.txt from Office move › All files.');
    expect(isThere('own.txt')).toBe(false);
  });

  it('is asked about in direct messages, with working buttons, when its sharer left the channel', async () => {
    await start();
    const { slack } = stack;
    const { channel, fileIds } = await share(['left.txt'], 'ben', 'design');
    await slack.as('ben', 'conversations.leave', { channel });
    await deleteFile(fileIds[0]);
    const opened = await slack.as('ben', 'conversations.open', { users: slack.ids.bot });
    const place = (opened['channel'] as { id: string }).id;
    const asked = await slack.until(async () =>
      (await slack.state(place)).find(({ text }) => text?.startsWith('left.txt was deleted')),
    );
    const message = { channel: place, ts: asked.ts };
    await slack.press({ message, user: 'ben', ...placeOfButton(asked, 'Delete file') });
    await gone('left.txt');
  });

  it('is explained and can be retried when the service refuses the delete', async () => {
    await start();
    const { fileIds } = await share(['refused.txt']);
    await deleteFile(fileIds[0]);
    const asked: Ephemeral = await question();
    const again = structuredClone(asked);
    stack.service.faults.set({ mode: '403' }, { only: 'delete' });
    const ben = person(stack.slack, 'ben');
    expect(screen(await ben.presses(asked, 'Delete file'))).toMatch(
      byProfile({ specified: /refused\.txt wasn’t deleted/, real: /refused it/ }),
    );
    stack.service.faults.clear();
    expect(screen(await ben.presses(again, 'Delete file'))).toContain('Deleted refused.txt');
  });

  it('is deleted with all others, even if they exceed one member’s share of the window', async () => {
    await start({ FILES_RATE_LIMIT: '25/10s' });
    const names = Array.from({ length: 16 }, (_, nth) => `${nth}.txt`);
    await deleteMessage(await share(names));
    const after = await person(stack.slack, 'ben').presses(await question(), 'Delete files');
    expect(screen(after)).toContain('and 11 more from Office move › All files.');
    expect(names.filter(isThere)).toEqual([]);
  });

  it.each(['429', '403'] as const)(
    'is reported with the rest when a %s interrupts, and the rest can be deleted later',
    async (mode) => {
      await start();
      await deleteMessage(await share(['a.txt', 'b.txt', 'c.txt']));
      const deletes = { count: 0 };
      const end = stack.service.faults.intercept(({ operation, when }) => {
        if (operation !== 'delete' || when !== 'before') return undefined;
        deletes.count += 1;
        return deletes.count > 1 ? { mode } : undefined;
      });
      const ben = person(stack.slack, 'ben');
      const stopped = await ben.presses(await question(), 'Delete files');
      expect(screen(stopped)).toMatch(/Deleted a\.txt from .*b\.txt, c\.txt weren’t deleted: /s);
      expect([isThere('a.txt'), isThere('b.txt'), isThere('c.txt')]).toEqual([false, true, true]);
      end();
      const after = await ben.presses(stopped, 'Delete files');
      expect(screen(after)).toContain('Deleted b.txt, c.txt from Office move › All files.');
      expect(isThere('b.txt') || isThere('c.txt')).toBe(false);
    },
  );

  it('is deleted only by its sharer or an admin, and only if it was asked about', async () => {
    await start();
    await share(['stays.txt']);
    const { fileIds } = await share(['asked.txt']);
    await deleteFile(fileIds[0]);
    const asked: Ephemeral = await question();
    const copies = [1, 2, 3].map(() => structuredClone(asked));
    const [forCleo = asked, forged = asked, forAda = asked] = copies;
    const refused = await person(stack.slack, 'cleo').presses(forCleo, 'Delete file');
    expect(screen(refused)).toContain('You can’t delete asked.txt.');
    forged.blocks = JSON.parse(
      JSON.stringify(forged.blocks).replaceAll('share\\":2', 'share\\":1'),
    );
    const none = await person(stack.slack, 'ben').presses(forged, 'Delete file');
    expect(screen(none)).toContain('Already gone from the folder.');
    expect(isThere('stays.txt') && isThere('asked.txt')).toBe(true);
    await person(stack.slack, 'ada').presses(forAda, 'Delete file');
    expect([isThere('stays.txt'), isThere('asked.txt')]).toEqual([true, false]);
  });

  it('is not deleted by a button pressed in another channel', async () => {
    await start();
    const elsewhere = await stack.slack.share({
      channel: 'board',
      user: 'ben',
      files: [{ name: 'elsewhere.txt', bytes: 'e' }],
    });
    await settledShare(stack.slack, elsewhere);
    const { fileIds } = await share(['here.txt']);
    await deleteFile(elsewhere.fileIds[0]);
    await deleteFile(fileIds[0]);
    const here = await stack.slack.until(() => questions().find(({ text }) => /^here/.test(text)));
    await stack.slack.until(() => questions().find(({ text }) => /^elsewhere/.test(text)));
    here.blocks = JSON.parse(JSON.stringify(here.blocks).replaceAll('share\\":2', 'share\\":1'));
    const refused = await person(stack.slack, 'ben').presses(here, 'Delete file');
    expect(screen(refused)).toContain('That button is out of date.');
    expect(isThere('elsewhere.txt')).toBe(true);
  });

  it('stays without a question when ON_SLACK_DELETE=keep', async () => {
    await start({ ON_SLACK_DELETE: 'keep' });
    const posted = await share(['kept.txt']);
    await deleteMessage(posted);
    await stack.slack.settled();
    await share(['another.txt']);
    expect(questions()).toEqual([]);
    expect(isThere('kept.txt')).toBe(true);
  });

  it('is deleted from the folder when ON_SLACK_DELETE=follow, and the thread says so', async () => {
    await start({ ON_SLACK_DELETE: 'follow' });
    const posted = await share(['followed.txt']);
    await deleteFile(posted.fileIds[0]);
    await gone('followed.txt');
    const line = await lineOf(stack.slack, posted, /^Gone from/);
    expect(line.text).toBe('Gone from the folder: followed.txt');
    expect(questions()).toEqual([]);
  });
});

describe('a file that an event reports as deleted, and Slack still has', () => {
  const askedAbout = (file: string | undefined) =>
    stack.slack.calls.filter(
      ({ method, args }) => method === 'files.info' && args['file'] === file,
    );
  const isRefused = () => JSON.stringify(stack.slack.calls).includes('Deleted in Slack before');
  /** Resolves once Slack was asked about the file once more, or with something wrong. */
  const asked = async (file: string | undefined, isWrong: () => boolean) => {
    const before = askedAbout(file).length;
    await stack.slack.until(() => askedAbout(file).length > before || isWrong());
  };
  const tombstoneElsewhere = async (file: string | undefined) => {
    const { ids } = stack.slack;
    const edit = { type: 'message', subtype: 'message_changed', hidden: true, ts: '1900000000.1' };
    const message = {
      type: 'message',
      ts: '1800000000.000100',
      user: ids.users['cleo'],
      text: 'x',
    };
    const files = [{ id: file, mode: 'tombstone' }];
    const event = { ...edit, channel: ids.channels['design'], event_ts: edit.ts };
    await stack.slack.sendEvent({ ...event, message: { ...message, files } });
  };
  const forged = (file: string | undefined) =>
    stack.slack.sendEvent({ type: 'file_deleted', file_id: file });

  it.each([
    ['follow', 'an edited message in another channel', tombstoneElsewhere],
    ['follow', 'a file_deleted event', forged],
    ['ask', 'an edited message in another channel', tombstoneElsewhere],
    ['ask', 'a file_deleted event', forged],
  ])(
    'stays, and nobody is asked, until Slack says that it is deleted: ON_SLACK_DELETE=%s, %s',
    async (choice, _how, report) => {
      await start({ ON_SLACK_DELETE: choice });
      const { fileIds } = await share(['living.txt']);
      const isWrong = () => !isThere('living.txt') || questions().length > 0;
      await report(fileIds[0]);
      await asked(fileIds[0], isWrong);
      stack.slack.fail('files.info', 'fatal_error', 1);
      await asked(fileIds[0], isWrong);
      await asked(fileIds[0], isWrong);
      expect([isThere('living.txt'), questions()]).toEqual([true, []]);
      await deleteFile(fileIds[0]);
      await (choice === 'follow' ? gone('living.txt') : question());
    },
  );

  it('is filed all the same if it waited for the service', async () => {
    await start({ ON_SLACK_DELETE: 'follow' });
    stack.service.faults.set({ mode: '500' }, { only: 'upload' });
    const files = [{ name: 'waits.txt', bytes: 'waits' }];
    const posted = await stack.slack.share({ channel: 'general', user: 'ben', files });
    await settledShare(stack.slack, posted, 'hourglass_flowing_sand');
    await forged(posted.fileIds[0]);
    await asked(posted.fileIds[0], isRefused);
    expect(isRefused()).toBe(false);
    stack.service.faults.clear();
    await settledShare(stack.slack, posted);
    expect(isThere('waits.txt')).toBe(true);
  });
});

describe('a file that is deleted in Slack before it is filed', () => {
  it('is still filed with ON_SLACK_DELETE=keep when only its message was deleted', async () => {
    await start({ ON_SLACK_DELETE: 'keep' });
    stack.service.faults.set({ mode: '500' }, { only: 'upload' });
    const files = [{ name: 'waits.txt', bytes: 'waits' }];
    const posted = await stack.slack.share({ channel: 'general', user: 'ben', files });
    await deleteMessage(posted);
    await stack.slack.settled();
    stack.service.faults.clear();
    await stack.restart();
    await expect.poll(() => isThere('waits.txt')).toBe(true);
  });

  it('is told on the line of its message, and needs nobody', async () => {
    await start();
    stack.service.faults.set({ mode: '500' }, { only: 'upload' });
    const files = ['stays.txt', 'goes.txt'].map((name) => ({ name, bytes: `bytes of ${name}` }));
    const posted = await stack.slack.share({ channel: 'general', user: 'ben', files });
    await settledShare(stack.slack, posted, 'hourglass_flowing_sand');
    await deleteFile(posted.fileIds[1]);
    await lineOf(stack.slack, posted, /^Deleted in Slack before it was filed: goes\.txt$/m);
    stack.service.faults.clear();
    await settledShare(stack.slack, posted);
    const line = await lineOf(stack.slack, posted, /^Filed in/);
    expect(line.text).toBe(
      'Filed in Office move › All files: stays.txt\nDeleted in Slack before it was filed: goes.txt',
    );
    expect(isThere('goes.txt')).toBe(false);
  });

  it('is not filed, in either order of the events', async () => {
    await start();
    const files = [{ name: 'early.txt', bytes: 'early' }];
    const held = await stack.slack.share({
      channel: 'general',
      user: 'ben',
      files,
      deliver: false,
    });
    await deleteMessage(held);
    await stack.slack.settled();
    const event = { type: 'message', user: stack.slack.ids.users['ben'], channel: held.channel };
    const late = { ...event, ts: held.ts, event_ts: held.ts, text: '' };
    const file = { id: held.fileIds[0], name: 'early.txt', mode: 'hosted', size: 5 };
    await stack.slack.sendEvent({ ...late, files: [file] });
    await afterAnother();
    expect(isThere('early.txt')).toBe(false);
    expect(questions()).toEqual([]);
  });
});

describe('a message that is deleted before it has a line', () => {
  it.each(['ask', 'keep'])(
    'is mentioned nowhere in the channel: ON_SLACK_DELETE=%s',
    async (choice) => {
      await start({ ON_SLACK_DELETE: choice });
      const files = [{ name: 'salaries.xlsx', bytes: 'secret' }];
      const posted = await stack.slack.share({ channel: 'general', user: 'ben', files });
      await deleteMessage(posted);
      await share(['another.txt']);
      await share(['one more.txt']);
      const said = JSON.stringify(await stack.slack.state('general'));
      expect(said).toContain('one more.txt');
      expect(said).not.toContain('salaries.xlsx');
      expect(JSON.stringify(stack.slack.calls)).not.toContain('salaries.xlsx');
    },
  );

  it('is mentioned nowhere when it is deleted while its file is being filed', async () => {
    await start({ ON_SLACK_DELETE: 'keep' });
    stack.service.faults.set({ mode: 'slow', ms: 1_500 }, { only: 'create' });
    const files = [{ name: 'salaries.xlsx', bytes: 'secret' }];
    const posted = await stack.slack.share({ channel: 'general', user: 'ben', files });
    await settledShare(stack.slack, posted, 'hourglass_flowing_sand');
    await deleteMessage(posted);
    await stack.slack.until(() => isThere('salaries.xlsx'));
    stack.service.faults.clear();
    await share(['another.txt']);
    expect(JSON.stringify(await stack.slack.state('general'))).not.toContain('salaries.xlsx');
  });
});

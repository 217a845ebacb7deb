import { afterEach, expect, test } from 'vitest';
import { filesAdded } from '../../src/surfaces/announce/added-files.ts';
import { backfillOffer } from '../../src/surfaces/link/earlier-files-view.ts';
import { backfillReport } from '../../src/surfaces/reports/report-view.ts';
import { isSeen, reach, SCROLLS_SIDEWAYS, SIZES } from './browser.ts';
import {
  goTo,
  type OpenPage,
  openPage,
  pickByKey,
  privateMessage,
  reachInMessages,
  typeIn,
} from './open-page.ts';

/**
 * Follows a channel from having no folder through its link to the unlink, with the keyboard only.
 */

const LOGOS = 'Website relaunch › Design › Logos';
const ALL_FILES = 'Website relaunch › All files';

let opened: OpenPage;
afterEach(() => expect(opened.troubles).toEqual([]));

async function begin(width: number, height: number): Promise<OpenPage['page']> {
  opened = await openPage({ width, height });
  await opened.page.getByLabel('You are').selectOption('Ada (admin)');
  return opened.page;
}

const share = (channel: string, names: string[], deliver = true) =>
  opened.playground.slack.share({
    ...{ channel, user: 'ben', deliver },
    files: names.map((name) => ({ name, bytes: name })),
  });

/** Moves back from the composer to a button in a message, which must be visible, and presses it. */
async function presses(words: string, label: string) {
  const { page } = opened;
  const button = privateMessage(opened, words).getByRole('button', { name: label });
  await button.waitFor();
  await reachInMessages(opened, button);
  await expect.poll(() => isSeen(button)).toBe(true);
  expect(await page.evaluate<string[]>(SCROLLS_SIDEWAYS)).toEqual([]);
  await page.keyboard.press('Enter');
}

/** Links a channel in the open form, so that its shares get lines too. */
async function fillForm(folder: string): Promise<void> {
  const { page } = opened;
  const form = page.getByRole('dialog', { name: 'Where files go' });
  await reach(page, form.getByRole('combobox', { name: 'Folder' }));
  await page.keyboard.type(folder);
  await pickByKey(page, form.getByRole('option', { name: folder, exact: true }));
  const lines = form.getByRole('checkbox', { name: 'Also a line in each thread' });
  await reach(page, lines);
  if (!(await lines.isChecked())) await page.keyboard.press('Space');
  await page.keyboard.press('Enter');
  // If the link takes longer than Slack waits, the form says so and stays until it is closed.
  const done = form.getByText('Done. You’ll find the details in the channel');
  const closing = done.waitFor().then(() => page.keyboard.press('Escape'));
  await Promise.race([form.waitFor({ state: 'hidden' }), closing]);
  await form.waitFor({ state: 'hidden' });
}

test.each(SIZES)(
  'the person who adds the app to a channel links it, and files what was held back: %s',
  async (size, width, height) => {
    const page = await begin(width, height);
    const { slack } = opened.playground;
    const composer = await goTo(opened, 'random');
    const channel = slack.ids.channels['random'];
    await slack.as('ada', 'conversations.invite', { channel, users: slack.ids.bot });
    const greeting = 'Thanks for adding me. This channel has no folder yet';
    await privateMessage(opened, greeting).waitFor();
    await share('random', ['Berths.txt', 'Tides.txt']);
    await opened.picture(`greeting-${size}`);
    await presses(greeting, 'Link this channel');
    await fillForm(LOGOS);
    await opened.messages.getByText(`filed in ${LOGOS}`).waitFor();
    await presses('2 files shared here are in Slack only', 'File them');
    await privateMessage(opened, '2 files are on their way now.').waitFor();
    await opened.messages.getByText(`Filed in ${LOGOS}: Berths.txt, Tides.txt`).waitFor();

    await typeIn(composer, '/files announce on');
    await opened.messages.getByText('turned announcements on').waitFor();
    const folder = {
      projectId: 1,
      folderId: 2,
      projectTitle: 'Website relaunch',
      folderName: 'Logos',
    };
    const files = Array.from({ length: 10 }, (_, nth) => ({
      name: `A scan of the harbour master ${nth}.pdf`,
      url: 'https://files.example/1',
    }));
    const view = filesAdded({ folder, count: 4_000, files, by: 'Priya Nair' });
    await slack.as('pigeonhole', 'chat.postMessage', { channel, ...view });
    await opened.messages.getByText('added 4,000 files').waitFor();
    expect(await page.evaluate<string[]>(SCROLLS_SIDEWAYS)).toEqual([]);
    await opened.picture(`announced-${size}`);
  },
);

test.each(SIZES)(
  'files that wait for the old folder are sent to the new one: %s',
  async (size, width, height) => {
    await begin(width, height);
    const { faults } = opened.playground.service;
    faults.set({ mode: '500' }, { only: 'upload' });
    await share('general', ['Radio plan.txt']);
    await opened.messages.getByText('The file service is down').waitFor();
    await typeIn(opened.composer, '/files link Website relaunch/Logos');
    const question = `still on the way to ${ALL_FILES}`;
    await privateMessage(opened, question).waitFor();
    await opened.picture(`waiting-${size}`);
    await presses(question, `To ${LOGOS}`);
    await privateMessage(opened, `1 file goes to ${LOGOS}.`).waitFor();
    faults.clear();
    await opened.messages.getByText(`Filed in ${LOGOS}: Radio plan.txt`).waitFor();
  },
);

test.each(SIZES)(
  'a channel is asked about its earlier files, and their filing can be stopped: %s',
  async (size, width, height) => {
    const page = await begin(width, height);
    const { slack } = opened.playground;
    const [channel, user] = [slack.ids.channels['general'], slack.ids.users['ada']];
    const destination = { projectId: 23423233, folderId: 67811577 };
    const offer = backfillOffer({ count: 580, more: false, destination });
    await slack.as('pigeonhole', 'chat.postEphemeral', { channel, user, ...offer });
    await opened.picture(`earlier-offer-${size}`);
    await presses('580 files were shared here before', 'Leave in Slack');
    await privateMessage(opened, 'The earlier files stay in Slack. New ones are filed.').waitFor();

    const counts = { total: 580, filed: 24, refused: 1, waiting: 555 };
    const refusals = [
      { name: 'Crew.gdoc', problem: 'SLACK_FILE_EXTERNAL', problemNote: null },
    ] as const;
    const state = { reading: false, stopped: false, trouble: null, now: Date.now() };
    const report = backfillReport({
      ...counts,
      ...state,
      refusals,
      files: [],
      reportId: 1,
      operator: null,
    });
    await slack.as('pigeonhole', 'chat.postMessage', { channel, ...report });
    const stop = opened.messages.getByRole('button', { name: 'Stop filing earlier files' });
    await stop.waitFor();
    await reachInMessages(opened, stop);
    await expect.poll(() => isSeen(stop)).toBe(true);
    expect(await page.evaluate<string[]>(SCROLLS_SIDEWAYS)).toEqual([]);
    await opened.picture(`earlier-report-${size}`);
  },
);

test.each(SIZES)(
  'the person who linked a channel whose folder is gone links it to another: %s',
  async (size, width, height) => {
    const page = await begin(width, height);
    const { service } = opened.playground;
    const composer = await goTo(opened, 'design');
    await typeIn(composer, '/files link');
    await fillForm(LOGOS);
    await opened.messages.getByText(`filed in ${LOGOS}`).waitFor();
    const gone = service.store.folders(23423233).find(({ name }) => name === 'Logos');
    service.store.deleteFolder(gone?.id ?? 0);
    await share('design', ['Crew.txt']);
    await opened.messages.getByText('The folder is gone').waitFor();
    await page.getByText('Files go to Website relaunch › a folder that’s gone').waitFor();
    await opened.picture(`paused-${size}`);
    await page.getByRole('list', { name: 'Direct messages' }).getByRole('button').press('Enter');
    await page.getByRole('tab', { name: 'Messages' }).click();
    const notice = opened.messages.getByRole('button', { name: 'Choose another folder' });
    await notice.waitFor();
    await reachInMessages(opened, notice);
    expect(await page.evaluate<string[]>(SCROLLS_SIDEWAYS)).toEqual([]);
    await opened.picture(`paused-notice-${size}`);
    await page.keyboard.press('Enter');
    await fillForm(ALL_FILES);
    await goTo(opened, 'design');
    await opened.messages.getByText(`Filed in ${ALL_FILES}: Crew.txt`).waitFor();
  },
);

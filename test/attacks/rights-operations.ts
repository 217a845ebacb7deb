import { randomUUID } from 'node:crypto';
import { folderNumber } from '../../src/core/index.ts';
import type { InteractionResult } from '../../src/playground/embedded-slack/index.ts';
import { DELETE_FILE, PUT_BACK } from '../../src/surfaces/delete/actions.ts';
import { DELETE_COPIES } from '../../src/surfaces/deleted-in-slack/actions.ts';
import { FILE_MENU, FILES_PAGES } from '../../src/surfaces/files/actions.ts';
import { markOf } from '../../src/surfaces/files/listed-file.ts';
import {
  FOLDERS_OF_PROJECT,
  LINK_FOLDER,
  PROJECTS_PAGES,
} from '../../src/surfaces/folders/actions.ts';
import { NOWHERE } from '../../src/surfaces/kit/app-home.ts';
import { channelPicker } from '../../src/surfaces/kit/layout.ts';
import {
  BACKFILL_DECLINE,
  BACKFILL_START,
  BACKFILL_STOP,
  FILE_PARKED,
  KEEP_WAITING,
  LEAVE_PARKED,
  MOVE_WAITING,
  PARK_WAITING,
  UNLINK,
} from '../../src/surfaces/link/actions.ts';
import { FOLDER_FIELD } from '../../src/surfaces/link/folder-form-view.ts';
import { SAVE_FORM } from '../../src/surfaces/save/save-view.ts';
import { SETTINGS_FORM } from '../../src/surfaces/settings/settings-view.ts';
import { FILE_SHARE } from '../../src/surfaces/share-line/actions.ts';
import {
  ATTENTION_RETRY,
  ATTENTION_SKIP,
  HOME_CHANNEL,
} from '../../src/surfaces/status/actions.ts';
import { FLOOR_PLANS, PROJECT, QUOTES } from '../support/app-settings.ts';
import { asksWhere, placeOfButton, screen } from '../support/person.ts';
import { lineOf, settledShare } from '../support/slack-channel.ts';
import {
  type ChannelFixture,
  type Copies,
  forge,
  link,
  namesIn,
  nextEphemeralIn,
  refuse,
  responseTo,
} from './rights-fixture.ts';
import type { OperationName, Outcome } from './rights-table.ts';

const REFUSAL =
  /can’t use Pigeonhole|Ask who (shared|saved)|Only (the|full|workspace)|from other workspaces can’t|Guests can’t|isn’t one of the files here|no folder|isn’t linked|which other channels share|file isn’t here|share the default folder|out of date|not in .* any more|Everything is being sent right now/;

const NONE_WAITS = /No file is waiting any more/;
const TAKEN = /Everything is filed already/;

/** Returns the outcome of a person's operation in a channel, as far as it is visible from outside. */
type Attempt = (fixture: ChannelFixture, user: string) => Promise<Outcome>;

export const attempts: Record<OperationName, Attempt> = {
  help: async (fixture, user) =>
    verdict(await types(fixture, user, '/files help'), /– all commands/),
  list: async (fixture, user) => {
    const shown = await types(fixture, user, '/files');
    return shows(fixture, shown, { pattern: /(\d+) files · page 1/, filter: '' });
  },
  find: async (fixture, user) => {
    const shown = await types(fixture, user, '/files -1');
    return shows(fixture, shown, { pattern: /(\d+) of \d+ files with/, filter: '-1' });
  },
  page: async (fixture, user) => {
    const value = { p: PROJECT, f: fixture.folder, page: 2, q: null };
    const shown = await presses(fixture, user, {
      action: FILES_PAGES.next.id,
      value,
    });
    return shows(fixture, shown, { pattern: /(\d+) files · page 2/, filter: '' });
  },
  where,
  share: (fixture, user) => shareFile(fixture, user, fixture.place),
  shareElsewhere: (fixture, user) => shareFile(fixture, user, elsewhere(fixture)),
  deleteOwn: (fixture, user) => deleteFile(fixture, user, fixture.place),
  deleteOther: (fixture, user) => deleteFile(fixture, user, fixture.place),
  deleteOwnElsewhere: (fixture, user) => deleteFile(fixture, user, elsewhere(fixture)),
  deleteOtherElsewhere: (fixture, user) => deleteFile(fixture, user, elsewhere(fixture)),
  deleteCopiesOwn: (fixture, user) => deleteCopies(fixture, user, fixture.copies),
  deleteCopiesOther: (fixture, user) => deleteCopies(fixture, user, fixture.copies),
  deleteCopiesElsewhere: (fixture, user) => deleteCopies(fixture, user, fixture.foreign),
  putBackOwn: putBack,
  putBackOther: putBack,
  retryOwn: retry,
  retryOther: retry,
  browse,
  linkTyped: (fixture, user) =>
    changesLink(fixture, () => sends(fixture, user, `/files link ${PROJECT}/${QUOTES}`)),
  linkPressed: async (fixture, user) => {
    const link = await fixture.ledger.findLink(fixture.ref);
    const was = link ? folderNumber(link) : '';
    const value = { p: PROJECT, f: QUOTES, page: 1, was };
    return changesLink(fixture, () => forge(fixture, user, { action: LINK_FOLDER.id, value }));
  },
  linkChosen,
  linkInForm: (fixture, user) => changesLink(fixture, () => sendForm(fixture, user)),
  saveInForm,
  unlink: async (fixture, user) => {
    const value = { p: PROJECT, f: fixture.folder };
    return changesLink(fixture, () => forge(fixture, user, { action: UNLINK.id, value }));
  },
  announce,
  fileParked: (fixture, user) => earlier(fixture, user, [FILE_PARKED.id, TAKEN]),
  fileShare: async (fixture, user) => {
    const [share] = await fixture.ledger.sharesOf({
      ...fixture.ref,
      ts: fixture.refused[0]?.ts ?? '',
    });
    const value = { share: share?.id };
    const shown = await presses(fixture, user, { action: FILE_SHARE.id, value });
    return verdict(shown, /nothing to file/);
  },
  fileEarlier: (fixture, user) => earlier(fixture, user, [BACKFILL_START.id, /post progress here/]),
  decline: async (fixture, user) => {
    const said = await earlier(fixture, user, [LEAVE_PARKED.id, TAKEN]);
    const declined = await earlier(fixture, user, [
      BACKFILL_DECLINE.id,
      /stay in Slack|on its way/,
    ]);
    return same(said, declined);
  },
  moveWaiting: (fixture, user) => earlier(fixture, user, [MOVE_WAITING.id, NONE_WAITS]),
  settleWaiting: async (fixture, user) => {
    const kept = await earlier(fixture, user, [KEEP_WAITING.id, NONE_WAITS]);
    return same(kept, await earlier(fixture, user, [PARK_WAITING.id, NONE_WAITS]));
  },
  stopOwn: stopFiling,
  stopOther: stopFiling,
  status: async (fixture, user) =>
    verdict(await types(fixture, user, '/files status'), /# Stuck files|All filed/),
  retryAll: (fixture, user) =>
    attend(fixture, user, [ATTENTION_RETRY.id, /Trying \d+ files? again|nothing to try again/]),
  leaveOwn: leaveStuck,
  leaveOther: leaveStuck,
};

function sends(fixture: ChannelFixture, user: string, line: string): Promise<InteractionResult> {
  const [command = '', ...words] = line.split(' ');
  const { slack } = fixture.stack;
  return slack.command({ command, text: words.join(' '), user, channel: fixture.channel });
}

async function types(fixture: ChannelFixture, user: string, line: string): Promise<string> {
  return responseTo(fixture, await sends(fixture, user, line));
}

async function presses(fixture: ChannelFixture, user: string, button: Parameters<typeof forge>[2]) {
  return responseTo(fixture, await forge(fixture, user, button));
}

// Chosen in an App Home with a picker, whoever it is, as somebody would who was an admin before.
async function linkChosen(fixture: ChannelFixture, user: string): Promise<Outcome> {
  const { stack, ref } = fixture;
  const { slack } = stack;
  const claim = { channel: NOWHERE, page: 1, linksPage: 1, shownAt: 1 };
  const blocks = [channelPicker(HOME_CHANNEL, { spoken: 'Choose a channel', claim })];
  const user_id = slack.ids.users[user];
  await slack.as('pigeonhole', 'views.publish', { user_id, view: { type: 'home', blocks } });
  const given = slack.home(user);
  await slack.press({
    ...{ view: given?.id ?? '', user, actionId: HOME_CHANNEL.id, choice: ref.channel },
  });
  await slack.until(() => slack.home(user) !== given);
  const form = slack.views(user).at(-1);
  const isOpen = form?.private_metadata.includes(ref.channel) === true;
  if (form) {
    const isPrepared = ({ method, args }: (typeof slack.calls)[number]) =>
      method === 'views.update' && args['view_id'] === form.id;
    await slack.until(() => slack.calls.some(isPrepared));
    slack.closeView({ user, all: true });
  }
  const shown = isOpen ? 'done' : screen({ text: '', blocks: slack.home(user)?.blocks });
  return verdict(shown, /^done$/);
}

function sendForm(fixture: ChannelFixture, user: string): Promise<InteractionResult> {
  return sendsForm(fixture, user, [
    SETTINGS_FORM.callbackId,
    { channel: fixture.ref.channel, channelName: null },
  ]);
}

// Uses a new message each time, because files are saved only once.
async function saveInForm(fixture: ChannelFixture, user: string): Promise<Outcome> {
  const { stack, ref } = fixture;
  const files = [{ name: 'saved.txt', bytes: 'saved' }];
  const sharing = { channel: fixture.channel, user: 'ben', files, deliver: false };
  const { ts, fileIds } = await stack.slack.share(sharing);
  const message = { channel: ref.channel, ts, threadTs: null, sharedBy: null };
  const carried = { ...message, files: fileIds, names: ['saved.txt'], picks: [] };
  const saved = async () => (await fixture.ledger.sharesOf({ ...ref, ts })).length > 0;
  const sent = await sendsForm(fixture, user, [SAVE_FORM.callbackId, carried]);
  const outcome = verdict(await responseTo(fixture, sent, saved), /^done$/);
  return same(outcome, (await saved()) ? 'yes' : 'no');
}

// A forged form that was never shown, sent as Slack would.
async function sendsForm(
  { stack: { slack }, ref }: ChannelFixture,
  user: string,
  [callbackId, carried]: readonly [string, object],
): Promise<InteractionResult> {
  const value = `${PROJECT}/${QUOTES}`;
  const folder = { [FOLDER_FIELD]: { selected_option: { value, text: { text: value } } } };
  const view = {
    ...{ id: 'V0000000001', type: 'modal', callback_id: callbackId },
    private_metadata: JSON.stringify(carried),
    state: { values: { folder } },
  };
  const from = { user: { id: slack.ids.users[user] }, team: { id: slack.ids.team } };
  const payload = { type: 'view_submission', ...from, view, trigger_id: randomUUID() };
  const attempt = await slack.sendRaw({ type: 'interactive', payload });
  const { errors } = { errors: {}, ...(attempt.body as object | null) };
  const text = Object.values(errors).join();
  const shown = { ts: '1', channel: ref.channel, user, text, blocks: [], edits: 0 };
  return { ...attempt, ephemerals: text ? [{ ...shown, via: 'response_url' }] : [] };
}

function verdict(shown: string, allowed: RegExp): 'yes' | 'no' {
  if (allowed.test(shown)) return 'yes';
  if (REFUSAL.test(shown)) return 'no';
  throw new Error(`Neither done nor refused: ${shown}`);
}

function same<T>(one: T, other: T): T {
  if (one !== other) throw new Error(`${one} by one way, ${other} by the other`);
  return one;
}

/**
 * Returns which files a list names and counts: the whole folder's, or those shared in this place.
 */
function shows(
  { stack: { service }, folder, place }: ChannelFixture,
  shown: string,
  { pattern, filter }: { pattern: RegExp; filter: string },
): Outcome {
  const total = pattern.exec(shown)?.[1];
  if (total === undefined) return verdict(shown, /(?!)/);
  const all = service.store.files(folder).filter(({ name }) => name.includes(filter));
  const here = all.filter(({ name }) => name.startsWith(`${place}-`));
  if (Number(total) === all.length) return 'the whole folder';
  const named = new Set(here.map(({ name }) => name));
  const leaked = namesIn(shown).filter((name) => !named.has(name));
  if (Number(total) === here.length && leaked.length === 0) return 'what was shared there';
  throw new Error(`Neither the folder's files nor the channel's: ${shown}`);
}

/** Returns the prefix of files that another channel shared into the same folder. */
const elsewhere = ({ place }: ChannelFixture) =>
  ({ default: 'private', private: 'direct', direct: 'default' })[place as string] ?? 'elsewhere';

async function shareFile(fixture: ChannelFixture, user: string, prefix: string): Promise<Outcome> {
  const { folder, stack, channel } = fixture;
  const posted = async (name: string) =>
    (await stack.slack.state(channel)).some(({ text }) => text?.includes(`shared ${name} from`));
  const files = stack.service.store.files(folder);
  let file: (typeof files)[number] | undefined;
  for (const one of files.filter(({ name }) => name.startsWith(`${prefix}-`)))
    if (!(await posted(one.name))) file = one;
  if (!file) throw new Error(`There is no file ${prefix} left to share`);
  const { id, name } = file;
  const value = { p: PROJECT, f: folder, id, mark: markOf(name), do: 'share', page: 1, q: null };
  // What is shared is known from the last list.
  await types(fixture, user, '/files');
  const pressed = await forge(fixture, user, { action: FILE_MENU.id, value });
  const shown = await responseTo(fixture, pressed, () => posted(name));
  return same(verdict(shown, /^done$/), (await posted(name)) ? 'yes' : 'no');
}

async function putBack(fixture: ChannelFixture, user: string): Promise<Outcome> {
  const { ledger, ref, shared, stack, clock } = fixture;
  const [share] = await ledger.sharesOf({ ...ref, ts: shared?.ts ?? '' });
  const files = () => ledger.transfersOfShare(share?.id ?? 0);
  const deleted = (await files()).find(({ state }) => state === 'deleted');
  const file = deleted ?? (await files()).find(({ state }) => state === 'filed');
  if (!share || !file) throw new Error('There is no file left to delete and put back');
  if (!deleted) {
    await ledger.markDeleted(file.id, { deletedBy: 'U1', now: clock.now() });
    stack.service.store.deleteFile(file.recordId ?? 0);
  }
  const value = { share: share.id, transferId: file.id };
  const shown = await presses(fixture, user, { action: PUT_BACK.id, value });
  const state = async () => (await files()).find(({ id }) => id === file.id)?.state;
  const outcome = same(
    verdict(shown, /Putting .* back/),
    (await state()) === 'deleted' ? 'no' : 'yes',
  );
  if (outcome === 'yes') await stack.slack.until(async () => (await state()) === 'filed');
  return outcome;
}

async function deleteFile(fixture: ChannelFixture, user: string, prefix: string): Promise<Outcome> {
  const { folder, stack } = fixture;
  const files = () => stack.service.store.files(folder);
  const file = files().find(({ name }) => name.startsWith(`${prefix}-`));
  if (!file) throw new Error(`There is no file ${prefix} left to try`);
  const value = { p: PROJECT, f: folder, id: file.id, page: 1, q: null };
  const shown = await presses(fixture, user, { action: DELETE_FILE.id, value });
  const gone = files().every(({ id }) => id !== file.id);
  return same(verdict(shown, /Deleted/), gone ? 'yes' : 'no');
}

async function deleteCopies(
  fixture: ChannelFixture,
  user: string,
  copies: Copies[],
): Promise<Outcome> {
  const [one] = copies;
  if (!one) throw new Error('There is nothing filed left of a deleted message to try');
  const value = { share: one.shareId, at: one.askedAt };
  const shown = await presses(fixture, user, { action: DELETE_COPIES.id, value });
  const files = fixture.stack.service.store.files(one.folder);
  const gone = files.every(({ name }) => name !== one.name);
  const outcome = same(verdict(shown, /Deleted .* from/), gone ? 'yes' : 'no');
  if (gone) copies.shift();
  return outcome;
}

async function where(fixture: ChannelFixture, user: string): Promise<Outcome> {
  const posted = fixture.refused.at(-1);
  if (!posted) throw new Error('There is no refused share to ask about');
  return verdict(await asksWhere(fixture.stack.slack, user, posted), /Couldn’t be filed/);
}

async function retry(fixture: ChannelFixture, user: string): Promise<Outcome> {
  const { slack } = fixture.stack;
  const [posted] = fixture.refused;
  if (!posted) throw new Error('There is no refused share left to try');
  const line = await lineOf(slack, posted, /^Couldn’t be filed/);
  const message = { channel: posted.channel, ts: line.ts };
  const next = nextEphemeralIn(fixture, user, posted);
  const reaction = await slack.press({ message, user, ...placeOfButton(line, 'Try again') });
  // Slack refuses the thread to who is not in the conversation.
  const answer = () => next() ?? reaction.ephemerals.at(-1);
  const state = async () => (await slack.state(posted.channel)).find(({ ts }) => ts === posted.ts);
  const filed = async () =>
    (await state())?.reactions?.some(({ name }) => name === 'white_check_mark') === true;
  const outcome = verdict(await responseTo(fixture, answer, filed), /^done$/);
  if (outcome === 'no') return same(outcome, (await filed()) ? 'yes' : 'no');
  await settledShare(slack, posted);
  fixture.refused.shift();
  return outcome;
}

async function browse(fixture: ChannelFixture, user: string): Promise<Outcome> {
  const of = { action: FOLDERS_OF_PROJECT.id, value: { p: PROJECT, page: 1 } };
  const next = { action: PROJECTS_PAGES.next.id, value: { page: 1 } };
  const typed = verdict(await types(fixture, user, '/folders'), /# (Folders of|Projects)/);
  const folders = verdict(await presses(fixture, user, of), /Second floor/);
  const projects = verdict(await presses(fixture, user, next), /Autumn campaign/);
  return same(typed, same(folders, projects));
}

// Undoes whatever was done, so that the next operation finds the place unchanged.
async function changesLink(
  fixture: ChannelFixture,
  act: () => Promise<InteractionResult>,
): Promise<Outcome> {
  const { ledger, ref } = fixture;
  const folder = async () => (await ledger.findLink(ref))?.folderId ?? null;
  const before = await folder();
  const changed = async () => (await folder()) !== before;
  const reaction = await act();
  const shown = await responseTo(fixture, reaction, changed);
  const outcome = verdict(shown, /^done$|linked this channel/);
  same(outcome, (await changed()) ? 'yes' : 'no');
  await (before === null ? ledger.removeLink(ref) : link(fixture, FLOOR_PLANS));
  return outcome;
}

async function announce(fixture: ChannelFixture, user: string): Promise<Outcome> {
  const { ledger, ref } = fixture;
  const isOn = async () => (await ledger.findLink(ref))?.announces ?? false;
  const outcome = verdict(
    await responseTo(fixture, await sends(fixture, user, '/files announce on'), isOn),
    /^done$/,
  );
  same(outcome, (await isOn()) ? 'yes' : 'no');
  await ledger.setWatched(ref, { on: false, now: Date.now() });
  return outcome;
}

async function earlier(
  fixture: ChannelFixture,
  user: string,
  [action, done]: [action: string, done: RegExp],
): Promise<Outcome> {
  return verdict(
    await presses(fixture, user, { action, value: { p: PROJECT, f: fixture.folder } }),
    done,
  );
}

async function attend(
  fixture: ChannelFixture,
  user: string,
  [action, done]: [action: string, done: RegExp],
): Promise<Outcome> {
  const value = { c: fixture.ref.channel, page: 1, links: 1, shown: 99 };
  return verdict(await presses(fixture, user, { action, value }), done);
}

// Something of Ben's is stuck at each press: refused, or without a folder.
async function leaveStuck(fixture: ChannelFixture, user: string): Promise<Outcome> {
  const { ledger, ref, channel, place } = fixture;
  const { slack } = fixture.stack;
  const userId = slack.ids.users['ben'] ?? '';
  const stuck = async () => {
    const troubles = await ledger.listTroubles({ ...ref, userId }, [ref.channel]);
    return troubles.reduce((sum, { own }) => sum + own, 0);
  };
  const files = [{ name: 'stuck.txt', bytes: 'stuck' }];
  if ((await stuck()) === 0 && place === 'unlinked')
    await slack.share({ channel, user: 'ben', files });
  else if ((await stuck()) === 0) await refuse(fixture);
  const outcome = await attend(fixture, user, [ATTENTION_SKIP.id, /Left \d+ files? in Slack/]);
  return same(outcome, (await stuck()) === 0 ? 'yes' : 'no');
}

async function stopFiling(fixture: ChannelFixture, user: string): Promise<Outcome> {
  const { ledger, ref } = fixture;
  const startedBy = fixture.stack.slack.ids.users['ben'] ?? '';
  const report = await ledger.createReport({ ...ref, kind: 'backfill', startedBy, now: 1 });
  const stopped = async () => (await ledger.findReport(report))?.stopped === 1;
  const button = { action: BACKFILL_STOP.id, value: { report } };
  const shown = await responseTo(fixture, await forge(fixture, user, button), stopped);
  return same(verdict(shown, /^done$/), (await stopped()) ? 'yes' : 'no');
}

import { randomUUID } from 'node:crypto';
import {
  ACTIONS,
  FOLDER_FIELDS,
  LINK_FORM,
  PAGE_ACTIONS,
  SAVE_FORM,
} from '../../src/blocks/index.ts';
import type { InteractionResult } from '../../src/playground/embedded-slack/index.ts';
import { FLOOR_PLANS, PROJECT, QUOTES } from '../support/app-settings.ts';
import { placeOfButton } from '../support/person.ts';
import { lineOf, settledShare } from '../support/slack-channel.ts';
import {
  type ChannelFixture,
  type Copies,
  forge,
  link,
  namesIn,
  nextEphemeralIn,
  responseTo,
} from './rights-fixture.ts';
import type { OperationName, Outcome } from './rights-table.ts';

const REFUSAL =
  /can’t use Pigeonhole|Only (the|full|workspace)|from other workspaces can’t|Guests can’t|isn’t one of the files here|isn’t linked|which other channels share|out of date|not in .* any more/;

const NONE_WAITS = /No file is waiting any more/;
const TAKEN = /nothing more to file/;

/** Returns the outcome of a person's operation in a channel, as far as it is visible from outside. */
type Attempt = (fixture: ChannelFixture, user: string) => Promise<Outcome>;

export const attempts: Record<OperationName, Attempt> = {
  help: async (fixture, user) => verdict(await types(fixture, user, '/files help'), /newest first/),
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
      action: PAGE_ACTIONS.files.next.id,
      value,
    });
    return shows(fixture, shown, { pattern: /(\d+) files · page 2/, filter: '' });
  },
  where,
  deleteOwn: (fixture, user) => deleteFile(fixture, user, fixture.place),
  deleteOther: (fixture, user) => deleteFile(fixture, user, fixture.place),
  deleteOwnElsewhere: (fixture, user) => deleteFile(fixture, user, elsewhere(fixture)),
  deleteOtherElsewhere: (fixture, user) => deleteFile(fixture, user, elsewhere(fixture)),
  deleteCopiesOwn: (fixture, user) => deleteCopies(fixture, user, fixture.copies),
  deleteCopiesOther: (fixture, user) => deleteCopies(fixture, user, fixture.copies),
  deleteCopiesElsewhere: (fixture, user) => deleteCopies(fixture, user, fixture.foreign),
  retryOwn: retry,
  retryOther: retry,
  browse,
  linkTyped: (fixture, user) =>
    changesLink(fixture, () => sends(fixture, user, `/files link ${PROJECT}/${QUOTES}`)),
  linkPressed: (fixture, user) => {
    const value = { p: PROJECT, f: QUOTES };
    return changesLink(fixture, () =>
      forge(fixture, user, { action: ACTIONS.linkFolder.id, value }),
    );
  },
  linkInForm: (fixture, user) => changesLink(fixture, () => sendForm(fixture, user)),
  saveInForm,
  unlink: (fixture, user) => changesLink(fixture, () => sends(fixture, user, '/files unlink')),
  announce,
  fileParked: (fixture, user) => earlier(fixture, user, [ACTIONS.fileParked.id, TAKEN]),
  fileEarlier: (fixture, user) =>
    earlier(fixture, user, [ACTIONS.backfillStart.id, /post progress here/]),
  decline: async (fixture, user) => {
    const said = await earlier(fixture, user, [ACTIONS.leaveParked.id, TAKEN]);
    const declined = await earlier(fixture, user, [
      ACTIONS.backfillDecline.id,
      /stay in Slack|on their way/,
    ]);
    return same(said, declined);
  },
  moveWaiting: (fixture, user) => earlier(fixture, user, [ACTIONS.moveWaiting.id, NONE_WAITS]),
  settleWaiting: async (fixture, user) => {
    const kept = await earlier(fixture, user, [ACTIONS.keepWaiting.id, NONE_WAITS]);
    return same(kept, await earlier(fixture, user, [ACTIONS.parkWaiting.id, NONE_WAITS]));
  },
  stopOwn: stopFiling,
  stopOther: stopFiling,
  status: async (fixture, user) =>
    verdict(await types(fixture, user, '/files status'), /# Needs attention/),
  retryAll: (fixture, user) =>
    attend(fixture, user, [
      ACTIONS.attentionRetry.id,
      /Trying \d+ files? again|nothing to try again/,
    ]),
  skipAll: (fixture, user) =>
    attend(fixture, user, [ACTIONS.attentionSkip.id, /in Slack only|Nothing was skipped/]),
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

function sendForm(fixture: ChannelFixture, user: string): Promise<InteractionResult> {
  return sendsForm(fixture, user, [
    LINK_FORM.callbackId,
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
  const address = { [FOLDER_FIELDS.address]: { value: `${PROJECT}/${QUOTES}` } };
  const view = {
    ...{ id: 'V0000000001', type: 'modal', callback_id: callbackId },
    private_metadata: JSON.stringify(carried),
    state: { values: { address } },
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

async function deleteFile(fixture: ChannelFixture, user: string, prefix: string): Promise<Outcome> {
  const { folder, stack } = fixture;
  const files = () => stack.service.store.files(folder);
  const file = files().find(({ name }) => name.startsWith(`${prefix}-`));
  if (!file) throw new Error(`There is no file ${prefix} left to try`);
  const value = { p: PROJECT, f: folder, id: file.id, page: 1, q: null };
  const shown = await presses(fixture, user, { action: ACTIONS.deleteFile.id, value });
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
  const shown = await presses(fixture, user, { action: ACTIONS.deleteCopies.id, value });
  const files = fixture.stack.service.store.files(one.folder);
  const gone = files.every(({ name }) => name !== one.name);
  const outcome = same(verdict(shown, /Deleted .* from/), gone ? 'yes' : 'no');
  if (gone) copies.shift();
  return outcome;
}

async function where(fixture: ChannelFixture, user: string): Promise<Outcome> {
  const posted = fixture.refused.at(-1);
  if (!posted) throw new Error('There is no refused share to ask about');
  const { channel, ts } = posted;
  const message = { channel, ts };
  const { slack } = fixture.stack;
  const reaction = await slack.shortcut({ callbackId: 'where_filed', user, message });
  return verdict(await responseTo(fixture, reaction), /Couldn’t be filed/);
}

async function retry(fixture: ChannelFixture, user: string): Promise<Outcome> {
  const { slack } = fixture.stack;
  const [posted] = fixture.refused;
  if (!posted) throw new Error('There is no refused share left to try');
  const line = await lineOf(slack, posted, /^Couldn’t be filed/);
  const message = { channel: posted.channel, ts: line.ts };
  const next = nextEphemeralIn(fixture, user, posted);
  const reaction = await slack.press({ message, user, ...placeOfButton(line, 'Retry') });
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
  const of = { action: ACTIONS.foldersOfProject.id, value: { p: PROJECT, page: 1 } };
  const next = { action: PAGE_ACTIONS.projects.next.id, value: { page: 1 } };
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
  const isOn = () => ledger.isWatched(ref);
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
  const value = { c: fixture.ref.channel, page: 1, links: 1 };
  return verdict(await presses(fixture, user, { action, value }), done);
}

async function stopFiling(fixture: ChannelFixture, user: string): Promise<Outcome> {
  const { ledger, ref } = fixture;
  const startedBy = fixture.stack.slack.ids.users['ben'] ?? '';
  const report = await ledger.createReport({ ...ref, kind: 'backfill', startedBy, now: 1 });
  const stopped = async () => (await ledger.findReport(report))?.stopped === 1;
  const button = { action: ACTIONS.backfillStop.id, value: { report } };
  const shown = await responseTo(fixture, await forge(fixture, user, button), stopped);
  return same(verdict(shown, /^done$/), (await stopped()) ? 'yes' : 'no');
}

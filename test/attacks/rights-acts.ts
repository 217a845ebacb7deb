import {
  ACTIONS,
  FOLDER_FIELDS,
  LINK_FORM,
  PAGE_ACTIONS,
  SAVE_FORM,
} from '../../src/blocks/index.ts';
import type { Reaction } from '../../src/playground/embedded-slack/index.ts';
import { PROJECT } from '../support/app-settings.ts';
import { placeOfButton } from '../support/person.ts';
import { lineOf, settledShare } from '../support/slack-channel.ts';
import type { ActName, Outcome } from './rights-table.ts';
import {
  answerTo,
  type Copies,
  forge,
  heardInThread,
  link,
  namesIn,
  PLANS,
  type Scene,
} from './rights-world.ts';

const OTHER_FOLDER = 67811603;
const REFUSAL =
  /can’t use Pigeonhole|Only (the|full|members|workspace)|Guests can’t|isn’t one of this channel’s files|isn’t linked|which other channels share|out of date|not in .* any more/;

const NONE_WAITS = /No file is waiting any more/;
const TAKEN = /nothing more to file/;

/** Returns the outcome of a person's act in a scene, as far as it is visible from outside. */
type Attempt = (scene: Scene, user: string) => Promise<Outcome>;

export const attempts: Record<ActName, Attempt> = {
  help: async (scene, user) => verdict(await types(scene, user, '/files help'), /newest first/),
  list: async (scene, user) => {
    const shown = await types(scene, user, '/files');
    return shows(scene, shown, { pattern: /(\d+) files · page 1/, filter: '' });
  },
  find: async (scene, user) => {
    const shown = await types(scene, user, '/files -1');
    return shows(scene, shown, { pattern: /(\d+) of \d+ files with/, filter: '-1' });
  },
  page: async (scene, user) => {
    const value = { p: PROJECT, f: scene.folder, page: 2, q: null };
    const shown = await presses(scene, user, {
      action: PAGE_ACTIONS.files.next,
      value,
    });
    return shows(scene, shown, { pattern: /(\d+) files · page 2/, filter: '' });
  },
  where,
  deleteOwn: (scene, user) => deleteFile(scene, user, scene.place),
  deleteOther: (scene, user) => deleteFile(scene, user, scene.place),
  deleteOwnElsewhere: (scene, user) => deleteFile(scene, user, elsewhere(scene)),
  deleteOtherElsewhere: (scene, user) => deleteFile(scene, user, elsewhere(scene)),
  deleteCopiesOwn: (scene, user) => deleteCopies(scene, user, scene.copies),
  deleteCopiesOther: (scene, user) => deleteCopies(scene, user, scene.copies),
  deleteCopiesElsewhere: (scene, user) => deleteCopies(scene, user, scene.foreign),
  retryOwn: retry,
  retryOther: retry,
  browse,
  linkTyped: (scene, user) =>
    changesLink(scene, () => sends(scene, user, `/files link ${PROJECT}/${OTHER_FOLDER}`)),
  linkPressed: (scene, user) => {
    const value = { p: PROJECT, f: OTHER_FOLDER };
    return changesLink(scene, () => forge(scene, user, { action: ACTIONS.linkFolder, value }));
  },
  linkInForm: (scene, user) => changesLink(scene, () => sendForm(scene, user)),
  saveInForm,
  unlink: (scene, user) => changesLink(scene, () => sends(scene, user, '/files unlink')),
  announce,
  fileParked: (scene, user) => earlier(scene, user, [ACTIONS.fileParked, TAKEN]),
  fileEarlier: (scene, user) =>
    earlier(scene, user, [ACTIONS.backfillStart, /post progress in the channel/]),
  decline: async (scene, user) => {
    const said = await earlier(scene, user, [ACTIONS.leaveParked, TAKEN]);
    const declined = await earlier(scene, user, [
      ACTIONS.backfillDecline,
      /stay in Slack|on their way/,
    ]);
    return same(said, declined);
  },
  moveWaiting: (scene, user) => earlier(scene, user, [ACTIONS.moveWaiting, NONE_WAITS]),
  settleWaiting: async (scene, user) => {
    const kept = await earlier(scene, user, [ACTIONS.keepWaiting, NONE_WAITS]);
    return same(kept, await earlier(scene, user, [ACTIONS.parkWaiting, NONE_WAITS]));
  },
  stopOwn: stopFiling,
  stopOther: stopFiling,
  status: async (scene, user) =>
    verdict(await types(scene, user, '/files status'), /# Needs attention/),
  retryAll: (scene, user) =>
    attend(scene, user, [ACTIONS.attentionRetry, /Trying \d+ files? again|nothing to try again/]),
  skipAll: (scene, user) =>
    attend(scene, user, [ACTIONS.attentionSkip, /in Slack only|Nothing was skipped/]),
};

function sends(scene: Scene, user: string, line: string): Promise<Reaction> {
  const [command = '', ...words] = line.split(' ');
  const { slack } = scene.stack;
  return slack.command({ command, text: words.join(' '), user, channel: scene.channel });
}

async function types(scene: Scene, user: string, line: string): Promise<string> {
  return answerTo(scene, await sends(scene, user, line));
}

async function presses(scene: Scene, user: string, button: Parameters<typeof forge>[2]) {
  return answerTo(scene, await forge(scene, user, button));
}

function sendForm(scene: Scene, user: string): Promise<Reaction> {
  return sendsForm(scene, user, [
    LINK_FORM.callbackId,
    { channel: scene.ref.channel, channelName: null },
  ]);
}

// Uses a new message each time, because files are saved only once.
async function saveInForm(scene: Scene, user: string): Promise<Outcome> {
  const { stack, ref } = scene;
  const files = [{ name: 'saved.txt', bytes: 'saved' }];
  const sharing = { channel: scene.channel, user: 'ben', files, deliver: false };
  const { ts, fileIds } = await stack.slack.share(sharing);
  const message = { channel: ref.channel, ts, threadTs: null, sharedBy: null };
  const carried = { ...message, files: fileIds, names: ['saved.txt'], picks: [] };
  const saved = async () => (await scene.ledger.sharesOf({ ...ref, ts })).length > 0;
  const sent = await sendsForm(scene, user, [SAVE_FORM.callbackId, carried]);
  const outcome = verdict(await answerTo(scene, sent, saved), /^done$/);
  return same(outcome, (await saved()) ? 'yes' : 'no');
}

// A forged form that was never shown, sent as Slack would.
async function sendsForm(
  { stack: { slack }, ref }: Scene,
  user: string,
  [callbackId, carried]: readonly [string, object],
): Promise<Reaction> {
  const address = { [FOLDER_FIELDS.address]: { value: `${PROJECT}/${OTHER_FOLDER}` } };
  const view = {
    ...{ id: 'V0000000001', type: 'modal', callback_id: callbackId },
    private_metadata: JSON.stringify(carried),
    state: { values: { address } },
  };
  const from = { user: { id: slack.ids.users[user] }, team: { id: slack.ids.team } };
  const payload = { type: 'view_submission', ...from, view };
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
  { stack: { service }, folder, place }: Scene,
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
const elsewhere = ({ place }: Scene) =>
  ({ default: 'private', private: 'direct', direct: 'default' })[place as string] ?? 'elsewhere';

async function deleteFile(scene: Scene, user: string, prefix: string): Promise<Outcome> {
  const { folder, stack } = scene;
  const files = () => stack.service.store.files(folder);
  const file = files().find(({ name }) => name.startsWith(`${prefix}-`));
  if (!file) throw new Error(`There is no file ${prefix} left to try`);
  const value = { p: PROJECT, f: folder, id: file.id, page: 1, q: null };
  const shown = await presses(scene, user, { action: ACTIONS.deleteFile, value });
  const gone = files().every(({ id }) => id !== file.id);
  return same(verdict(shown, /Deleted/), gone ? 'yes' : 'no');
}

async function deleteCopies(scene: Scene, user: string, copies: Copies[]): Promise<Outcome> {
  const [one] = copies;
  if (!one) throw new Error('There is nothing filed left of a deleted message to try');
  const value = { share: one.shareId };
  const shown = await presses(scene, user, { action: ACTIONS.deleteCopies, value });
  const files = scene.stack.service.store.files(one.folder);
  const gone = files.every(({ name }) => name !== one.name);
  const outcome = same(verdict(shown, /Deleted .* from/), gone ? 'yes' : 'no');
  if (gone) copies.shift();
  return outcome;
}

async function where(scene: Scene, user: string): Promise<Outcome> {
  const posted = scene.refused.at(-1);
  if (!posted) throw new Error('There is no refused share to ask about');
  const { channel, ts } = posted;
  const message = { channel, ts };
  const { slack } = scene.stack;
  const reaction = await slack.shortcut({ callbackId: 'where_filed', user, message });
  return verdict(await answerTo(scene, reaction), /Couldn’t be filed/);
}

async function retry(scene: Scene, user: string): Promise<Outcome> {
  const { slack } = scene.stack;
  const [posted] = scene.refused;
  if (!posted) throw new Error('There is no refused share left to try');
  const line = await lineOf(slack, posted, /^Couldn’t be filed/);
  const message = { channel: posted.channel, ts: line.ts };
  const heard = heardInThread(scene, user, posted);
  const reaction = await slack.press({ message, user, ...placeOfButton(line, 'Retry') });
  // Slack refuses the thread to who is not in the conversation.
  const answer = () => heard() ?? reaction.ephemerals.at(-1);
  const state = async () => (await slack.state(posted.channel)).find(({ ts }) => ts === posted.ts);
  const filed = async () =>
    (await state())?.reactions?.some(({ name }) => name === 'white_check_mark') === true;
  const outcome = verdict(await answerTo(scene, answer, filed), /^done$/);
  if (outcome === 'no') return same(outcome, (await filed()) ? 'yes' : 'no');
  await settledShare(slack, posted);
  scene.refused.shift();
  return outcome;
}

async function browse(scene: Scene, user: string): Promise<Outcome> {
  const of = { action: ACTIONS.foldersOfProject, value: { p: PROJECT, page: 1 } };
  const next = { action: PAGE_ACTIONS.projects.next, value: { page: 1 } };
  const typed = verdict(await types(scene, user, '/folders'), /# (Folders of|Projects)/);
  const folders = verdict(await presses(scene, user, of), /Second floor/);
  const projects = verdict(await presses(scene, user, next), /Autumn campaign/);
  return same(typed, same(folders, projects));
}

// Undoes whatever was done, so that the next act finds the place unchanged.
async function changesLink(scene: Scene, act: () => Promise<Reaction>): Promise<Outcome> {
  const { ledger, ref } = scene;
  const folder = async () => (await ledger.findLink(ref))?.folderId ?? null;
  const before = await folder();
  const changed = async () => (await folder()) !== before;
  const reaction = await act();
  const shown = await answerTo(scene, reaction, changed);
  const outcome = verdict(shown, /^done$|linked this channel/);
  same(outcome, (await changed()) ? 'yes' : 'no');
  await (before === null ? ledger.removeLink(ref) : link(scene, PLANS));
  return outcome;
}

async function announce(scene: Scene, user: string): Promise<Outcome> {
  const { ledger, ref } = scene;
  const isOn = () => ledger.isWatched(ref);
  const outcome = verdict(
    await answerTo(scene, await sends(scene, user, '/files announce on'), isOn),
    /^done$/,
  );
  same(outcome, (await isOn()) ? 'yes' : 'no');
  await ledger.setWatched(ref, { on: false, now: Date.now() });
  return outcome;
}

async function earlier(
  scene: Scene,
  user: string,
  [action, done]: [action: string, done: RegExp],
): Promise<Outcome> {
  return verdict(
    await presses(scene, user, { action, value: { p: PROJECT, f: scene.folder } }),
    done,
  );
}

async function attend(
  scene: Scene,
  user: string,
  [action, done]: [action: string, done: RegExp],
): Promise<Outcome> {
  const value = { c: scene.ref.channel, page: 1, links: 1 };
  return verdict(await presses(scene, user, { action, value }), done);
}

async function stopFiling(scene: Scene, user: string): Promise<Outcome> {
  const { ledger, ref } = scene;
  const startedBy = scene.stack.slack.ids.users['ben'] ?? '';
  const report = await ledger.createReport({ ...ref, kind: 'backfill', startedBy, now: 1 });
  const stopped = async () => (await ledger.findReport(report))?.stopped === 1;
  const button = { action: ACTIONS.backfillStop, value: { report } };
  const shown = await answerTo(scene, await forge(scene, user, button), stopped);
  return same(verdict(shown, /^done$/), (await stopped()) ? 'yes' : 'no');
}

import { WORDS_FIELD } from '../../../src/surfaces/find/find-modal-view.ts';
import { FOLDER_FIELD } from '../../../src/surfaces/link/folder-form-view.ts';
import { SETTINGS_CHOICES } from '../../../src/surfaces/settings/settings-view.ts';
import { runUntil, virtualNow } from '../kernel/virtual-time.ts';
import { JUST_SHARED } from '../oracle/app-words.ts';
import { checkBookmark } from '../oracle/bookmarks.ts';
import { foldersLeft } from '../oracle/end-checks.ts';
import { isChecking } from '../oracle/requests.ts';
import {
  type ExpectedShare,
  nameOf,
  reactionsTo,
  recordsIn,
  shareLines,
  textOf,
} from '../oracle/shares.ts';
import { ADMIN, DELETE_CHOICE, linkText, MEMBERS, SHARE_CHOICE } from '../plan/actions.ts';
import { FOLDERS, PROJECT } from '../service/service-model.ts';
import {
  type Ephemeral,
  isMember,
  type SlackChannel,
  type SlackFile,
  type UserRequest,
} from '../slack/state.ts';
import type { Form } from './forms.ts';
import { pickOf } from './users.ts';
import type { World } from './world.ts';

/** How long a person waits for a response if nothing is wrong, in milliseconds. */
const RESPONSE_MS = 12_000;
/** How long they look at it before they press: by then its requests have left the window. */
const LOOKING_MS = 12_000;
/** The longest until a channel reads of its link, or a file is filed, if nothing is wrong. */
const NOTIFIED_MS = 60_000;
const FILED_MS = 5 * 60_000;
/** The longest until the record of a filed file is known if nothing is wrong, in milliseconds. */
const KNOWN_MS = 20 * 60_000;

/**
 * Acts as people do once a world is at rest and nothing goes wrong. An admin shares a file and searches
 * for it, or lists a channel's files and deletes one; so does a member. Each response must come in time, the file be
 * found, and the delete be done. In every second world an admin then also links and unlinks the
 * channel, and what is shared after each must go where the channel was told.
 */
export async function runFinalScenario(world: World): Promise<void> {
  const { slack, plan } = world;
  const [admin = ''] = slack.state.users.keys();
  const channel = [...slack.state.channels.values()][channelOf(world)];
  if (!channel?.members.has(admin) || slack.unreachableReason(channel.id)) return;
  if (plan.seed % 3 === 0) await findFiled(world);
  else await listAndDelete(world, channel);
  if (plan.seed % 2 === 0) await linkAndUnlink(world, channel);
}

function channelOf({ plan }: World): number {
  return plan.seed % plan.channels;
}

function hasFailed({ oracle }: World): boolean {
  return oracle.violations.length > 0;
}

/** Awaits a condition, or a violation; resolves with whether one of them came in time. */
function waitFor(world: World, ms: number, isDone = () => false): Promise<boolean> {
  return runUntil(() => hasFailed(world) || isDone(), virtualNow() + ms);
}

async function listAndDelete(world: World, channel: SlackChannel): Promise<void> {
  const { plan, slack } = world;
  if (plan.seed % 2 === 0) return void (await list(world, ADMIN));
  const own = await shareFiled(world, ADMIN);
  const shown = await list(world, ADMIN);
  await checkPreview(world, channel, shown);
  if (hasFailed(world)) return;
  const deleted = await pressDelete(world, shown, { user: ADMIN, isExpected: own !== null });
  await putBackAndShare(world, channel, deleted);
  const users = [...slack.state.users.values()];
  const isIn = (nth: number) => isMember(users[nth]) && channel.members.has(users[nth]?.id ?? '');
  const sharer = MEMBERS.find(isIn);
  const theirs = sharer !== undefined && !hasFailed(world) && (await shareFiled(world, sharer));
  if (!theirs) return;
  const search = { user: sharer, name: ` ${theirs.name}` };
  const found = await list(world, sharer, search.name);
  await pressDelete(world, found, { ...search, isExpected: true });
}

// Shares a file; resolves with it once it is filed where a list must show it, under its name.
async function shareFiled(world: World, user: number): Promise<SlackFile | null> {
  const { otherFiles, behaviour } = world.plan.traits;
  const share = await shareNow(world, user);
  await waitFor(world, FILED_MS, () => !share || isMarkedDone(share));
  const isListed = otherFiles === 0 && (behaviour.namesOnCreate ?? 'kept') === 'kept';
  return share && isMarkedDone(share) && isListed ? (share.message.files[0] ?? null) : null;
}

// Posts the address of a file that was just listed; it must get a preview. The other channels may not all
// see it, and what is shown there is watched.
async function checkPreview(
  world: World,
  channel: SlackChannel,
  shown: Ephemeral | undefined,
): Promise<void> {
  const [file] = recordsIn(JSON.stringify(shown?.blocks ?? []));
  if (file === undefined || hasFailed(world)) return;
  world.users.paste({ channel: channelOf(world), user: ADMIN }, file);
  const message = channel.messages.at(-1);
  const hasPreview = () => message?.previews.size === 1;
  if (!(await waitFor(world, RESPONSE_MS, hasPreview)))
    world.oracle.fail('what is listed has a preview', `${channel.id}: "${message?.text}"`);
  for (let other = 0; other < world.plan.channels; other += 1)
    if (other !== channelOf(world)) world.users.paste({ channel: other, user: ADMIN }, file);
  await waitFor(world, RESPONSE_MS);
}

async function list(world: World, user: number, name = ''): Promise<Ephemeral | undefined> {
  return (await ask(world, `/files${name}`, user))?.responses[0]?.shown;
}

async function ask(world: World, typed: string, user: number): Promise<UserRequest | undefined> {
  world.users.command(typed, { channel: channelOf(world), user });
  const request = world.users.requests.at(-1);
  await awaitResponse(world, request);
  return request;
}

/** Presses the first Delete of somebody's list, and returns the press; `isExpected`: there must be one. */
async function pressDelete(
  world: World,
  shown: Ephemeral | undefined,
  { user, name = '', isExpected }: { user: number; name?: string; isExpected: boolean },
): Promise<UserRequest | undefined> {
  const { users, oracle, plan, service } = world;
  // The service may still list the files of a deleted folder, and refuses to delete them.
  if (plan.steps.some(({ action }) => action.kind === 'folder-deleted')) return undefined;
  const pressFirst = async (list: Ephemeral | undefined) => {
    await waitFor(world, LOOKING_MS);
    const menu = list && users.pressIn(list, 'file_menu', DELETE_CHOICE);
    if (!menu) return undefined;
    await awaitResponse(world, menu);
    const question = menu.responses.at(-1)?.shown;
    return question && users.pressIn(question, 'delete_file');
  };
  let press = await pressFirst(shown);
  if (!press && isExpected && !hasFailed(world)) {
    // Until a look succeeds, the app does not know the record of a create whose response it could
    // not read.
    await waitFor(world, KNOWN_MS);
    press = await pressFirst(await list(world, user, name));
  }
  if (!press) {
    if (isExpected) oracle.fail('what is filed is listed', JSON.stringify(shown?.text));
    return undefined;
  }
  const file = Number(/"id":(\d+)/.exec(press.what)?.[1]);
  await awaitResponse(world, press);
  if (oracle.presses.deletes.at(-1)?.allowed && service.store.file(file))
    oracle.fail('a delete is done', `file ${file} is there after "${press.what}"`);
  return press;
}

/** How long the answers to creates are lost. */
const UNANSWERED_MS = 20_000;

// Puts back what was deleted, and shares a file of the list that follows the delete, each with two
// presses; the answer to the create may be lost.
async function putBackAndShare(
  world: World,
  channel: SlackChannel,
  deleted: UserRequest | undefined,
): Promise<void> {
  const { users, faults, oracle, plan } = world;
  const shown = deleted?.responses.at(-1)?.shown;
  if (!shown || hasFailed(world)) return;
  await waitFor(world, LOOKING_MS);
  const pressTwice = async (actionId: string, choice?: string) => {
    const press = users.pressIn(shown, actionId, choice);
    if (press) users.pressIn(shown, actionId, choice);
    await awaitResponse(world, press ?? undefined);
    return hasFailed(world) ? null : press;
  };
  if (plan.seed % 5 < 3) faults.start('creates-unanswered', UNANSWERED_MS);
  // Under the line in the thread it is read by all.
  users.press({ kind: 'press', actionId: 'put_back', user: MEMBERS[0], times: 1, newest: true }, 0);
  if (plan.seed % 4 === 3) await saveAgain(world, channel, deleted);
  else if (await pressTwice('put_back')) await waitFor(world, UNANSWERED_MS);
  if (hasFailed(world)) return;
  const before = oracle.sharedFiles.count();
  const press = await pressTwice('file_menu', SHARE_CHOICE);
  if (!press || oracle.sharedFiles.count() > before) return;
  const [answer] = press.responses;
  // It had been shared a few minutes before.
  const isRepeated = before > 0 && answer && JUST_SHARED.test(textOf(answer.shown));
  if (!isRepeated)
    oracle.fail('what is shared from a list is shared once', `nothing in ${channel.id}`);
}

// Saves the message of a deleted file to the same folder by hand, and has the file filed again there.
async function saveAgain(
  world: World,
  channel: SlackChannel,
  { what }: UserRequest,
): Promise<void> {
  const { users, oracle } = world;
  const record = oracle.recordOf(Number(/"id":(\d+)/.exec(what)?.[1]));
  if (!record?.sharedIn.includes(channel.id)) return;
  const form = await openForm(world, () =>
    users.save({ kind: 'save', user: ADMIN, of: 'deleted' }, 0),
  );
  if (!form) return;
  choose(form, record.folder);
  void form.submit();
  await waitFor(world, LOOKING_MS);
  const press = users.pressInModal(form.modal, 'save_again');
  users.pressInModal(form.modal, 'save_again');
  await awaitResponse(world, press ?? undefined);
  await waitFor(world, UNANSWERED_MS);
}

function choose(form: Form, folder: number | undefined): void {
  const text = { type: 'plain_text', text: String(folder) };
  form.choose(FOLDER_FIELD, { text, value: `${PROJECT}/${folder}` });
}

function isMarkedDone({ message }: ExpectedShare): boolean {
  return reactionsTo(message).includes('done');
}

/** If the link was the same before, the response may only be about waiting files. */
const LINKED =
  /linked this (channel|conversation): |already linked to|are in Slack only|is in Slack only/;
const UNLINKED = /unlinked this (channel|conversation) from /;

async function linkAndUnlink(world: World, channel: SlackChannel): Promise<void> {
  const { plan, users, service } = world;
  const index = foldersLeft(world).findLast((one) => one > 0);
  if (index === undefined || hasFailed(world) || isAnyLeftOver(world, channel)) return;
  const at = { channel: channelOf(world), user: ADMIN };
  if (plan.seed % 10 > 4) users.command(`/files ${linkText(index)}`, at);
  else if (!(await linkAtHome(world, channel, index))) return;
  if (!(await isNotified(world, channel, LINKED))) return;
  await checkGoesTo(world, await shareNow(world), FOLDERS[index] ?? null);
  checkBookmark(world, channel.id, FOLDERS[index] ?? null);
  if (!(await (plan.seed % 4 === 0 ? pressUnlink(world) : changeSettings(world, index)))) return;
  if (!(await isNotified(world, channel, UNLINKED))) return;
  const fallback = plan.hasDefaultFolder ? FOLDERS[0] : null;
  const share = await shareNow(world);
  checkBookmark(world, channel.id, null);
  if (fallback === null || service.store.folder(fallback))
    await checkGoesTo(world, share, fallback);
}

// Chooses the channel in the App Home; resolves with whether its form is submitted.
async function linkAtHome(world: World, channel: SlackChannel, index: number): Promise<boolean> {
  const form = await openForm(world, async () => {
    await openHome(world);
    return world.users.pressAtHome(ADMIN, 'home_channel', pickOf(channel.id));
  });
  if (!form) return false;
  choose(form, FOLDERS[index]);
  void form.submit();
  return true;
}

async function openHome(world: World): Promise<void> {
  world.users.openHome({ user: ADMIN });
  await awaitResponse(world, world.users.requests.at(-1));
  await waitFor(world, LOOKING_MS);
}

// Resolves with whether the button is pressed.
async function pressUnlink(world: World): Promise<boolean> {
  const question = (await ask(world, '/files unlink', ADMIN))?.responses.at(-1)?.shown;
  return question !== undefined && world.users.pressIn(question, 'unlink') !== null;
}

/**
 * Has the channel be quiet, and switches announcements; the form must show that again, and the next
 * file must have no line. Then unlinks the channel in the form; resolves with whether that is pressed.
 */
async function changeSettings(world: World, index: number): Promise<boolean> {
  const { users, oracle, plan } = world;
  const wanted = plan.seed % 8 === 2 ? ['announces'] : [];
  const form = await openSettings(world);
  if (!form) return false;
  form.tick(SETTINGS_CHOICES, wanted);
  void form.submit();
  const request = users.requests.at(-1);
  if (!(await waitFor(world, NOTIFIED_MS, () => !form.modal.isOpen)))
    await awaitResponse(world, request);
  await checkGoesTo(world, await shareNow(world), FOLDERS[index] ?? null);
  await waitFor(world, LOOKING_MS);
  const share = oracle.shares.at(-1);
  const [line] = share ? shareLines(world, share) : [];
  if (line) oracle.fail('a quiet channel has no lines', line.text);
  const again = await openSettings(world);
  const shown = again?.ticked(SETTINGS_CHOICES).join();
  if (again && shown !== wanted.join())
    oracle.fail('settings stay as they were saved', `${wanted} was saved, and ${shown} is shown`);
  return again !== null && users.pressInModal(again.modal, 'unlink') !== null;
}

function openSettings(world: World): Promise<Form | null> {
  return openForm(world, () => ask(world, '/files settings', ADMIN));
}

// Resolves with the form that is open after `act`; null: something failed.
async function openForm(world: World, act: () => unknown): Promise<Form | null> {
  const { users, oracle } = world;
  const opened: Form[] = [];
  users.fillNextBy((form) => void opened.push(form));
  await act();
  // Slack shows nothing more than what is changed once all is known.
  await waitFor(world, LOOKING_MS);
  const [form] = opened;
  if (!form) oracle.fail('a form opens', `"${users.requests.at(-1)?.what}" opened none`);
  return hasFailed(world) ? null : (form ?? null);
}

// Files that were refused, or given up because of their folder, are tried again in the next folder.
function isAnyLeftOver({ oracle }: World, channel: SlackChannel): boolean {
  return oracle.shares.some(
    (share) =>
      share.channel === channel.id &&
      (share.excused !== null || reactionsTo(share.message).includes('needsAttention')),
  );
}

/**
 * Resolves with whether the channel, or the person who has just asked, reads such words. Silence is
 * a violation, and so are other words, unless pages of other people's files may explain them.
 */
async function isNotified(world: World, channel: SlackChannel, words: RegExp): Promise<boolean> {
  const request = world.users.requests.at(-1);
  const before = channel.messages.length;
  const texts = () =>
    [
      ...channel.messages.slice(before).filter(({ own }) => own),
      ...(request?.responses ?? []).map(({ shown }) => shown),
    ].map((one) => `${one.text}\n${textOf(one)}`);
  if (await waitFor(world, NOTIFIED_MS, () => texts().some((text) => words.test(text))))
    return !hasFailed(world);
  const read = texts();
  if (read.length === 0 || world.plan.traits.otherFiles === 0)
    world.oracle.fail(
      'every request gets a response',
      `"${request?.what}" with nothing wrong: ${read.join(' / ') || 'nothing'}`,
    );
  return false;
}

// Shares a file, by default as an admin, a while after the last message.
async function shareNow(world: World, user = ADMIN): Promise<ExpectedShare | undefined> {
  const { users, oracle } = world;
  await waitFor(world, LOOKING_MS);
  const files = [{ name: `last ${oracle.shares.length}.pdf`, size: 300, hiddenMs: 0 }];
  const at = { channel: channelOf(world), user };
  users.share({ kind: 'share', ...at, files, inThread: false }, 0);
  return oracle.shares.at(-1);
}

// Checks that the share's file goes to `folder` only; null: that it stays in Slack.
async function checkGoesTo(
  world: World,
  share: ExpectedShare | undefined,
  folder: number | null,
): Promise<void> {
  const { oracle } = world;
  const [file] = share?.message.files ?? [];
  if (!share || !file) return;
  const patience = folder === null ? LOOKING_MS : FILED_MS;
  await waitFor(world, patience, () => isMarkedDone(share));
  if (hasFailed(world)) return;
  const inFolder = folder === null ? 0 : oracle.createdIn(folder, file);
  const isElsewhere = oracle.createdOf(file) > inFolder;
  if (isElsewhere || isMarkedDone(share) !== (folder !== null))
    oracle.fail(
      'linking and unlinking take effect',
      `${nameOf(share)}: ${isElsewhere ? 'is filed elsewhere' : 'is not filed'}`,
    );
}

async function findFiled(world: World): Promise<void> {
  const filed = await shareFiled(world, ADMIN);
  if (!filed || hasFailed(world)) return;
  const request = await (world.plan.seed % 9 === 0
    ? ask(world, `/files find ${filed.name}`, ADMIN)
    : findInModal(world, filed.name));
  const shown = JSON.stringify(request?.responses.at(-1)?.shown.blocks);
  if (request && !shown.includes(filed.name))
    world.oracle.fail('what is filed is found', `"${request.what}": ${shown}`);
}

// Searches by the shortcut, or by the button in the App Home.
async function findInModal(world: World, words: string): Promise<UserRequest | undefined> {
  const { users, plan } = world;
  const form = await openForm(world, async () => {
    if (plan.seed % 9 === 3) return users.findFiles({ user: ADMIN });
    await openHome(world);
    return users.pressAtHome(ADMIN, 'open_find');
  });
  if (!form) return undefined;
  form.type(WORDS_FIELD, words);
  void form.submit();
  const request = users.requests.at(-1);
  await awaitResponse(world, request);
  return request;
}

async function awaitResponse(world: World, request: UserRequest | undefined): Promise<void> {
  if (!request || (await waitFor(world, RESPONSE_MS, () => request.responses.length > 0))) return;
  const time = `within ${RESPONSE_MS / 1000} s, with nothing wrong`;
  world.oracle.fail('every request gets a response', `"${request.what}" was not answered ${time}`);
}

/** How long the service is slow, and then the longest time until the result shows. */
const SLOW_MS = 45_000;
const SHOWN_MS = 45_000;

/**
 * At the very end, with no other fault, an admin links a channel in the form while the service
 * takes longer than Slack waits. The modal must not go on saying that the folder is being checked.
 */
export async function checkFormOnSlowService(world: World): Promise<void> {
  const { plan, users, faults, slack, oracle } = world;
  if (plan.seed % 4 !== 1) return;
  const known = slack.state.modals.length;
  faults.start('slow-service', SLOW_MS);
  users.command('/files link', { channel: 0, user: ADMIN });
  await waitFor(world, SLOW_MS + SHOWN_MS);
  for (const modal of slack.state.modals.slice(known))
    if (modal.isOpen && isChecking(modal))
      oracle.fail('a form says what came of it', `${modal.user} still reads that it is checked`);
}

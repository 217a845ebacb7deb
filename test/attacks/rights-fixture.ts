import type { Role } from '../../src/core/index.ts';
import type { Ledger } from '../../src/ledger/index.ts';
import type {
  Ephemeral,
  InteractionResult,
  Posted,
} from '../../src/playground/embedded-slack/index.ts';
import { FLOOR_PLANS, FOLDER, PROJECT, WITHOUT_DEFAULT } from '../support/app-settings.ts';
import { createMovableClock, type MovableClock } from '../support/fake-clock.ts';
import { screen } from '../support/person.ts';
import { shareRefusedFile } from '../support/share-refused.ts';
import { listedNames } from '../support/shown-view.ts';
import { settledShare } from '../support/slack-channel.ts';
import { type Stack, startStack } from '../support/start-stack.ts';
import { withLines } from '../support/with-lines.ts';
import type { Place } from './rights-table.ts';

/** More than one page of a list. */
const FILES = 16;
/** More than people with the right to delete use up, so that a list there has one page. */
const SOME_FILES = 8;
/** More than people with the right to retry use up. */
const REFUSED = 6;

/** More than people with the right to delete use up. */
const DELETED = 4;

/** Fields of users.info, on top of a member's. */
const FIELDS: Record<Role, object> = {
  admin: { is_admin: true },
  member: {},
  guest: { is_restricted: true },
  outsider: { is_stranger: true, team_id: 'T0PARTNER01' },
  deactivated: { is_admin: true, deleted: true },
  bot: { is_admin: true, is_bot: true },
};
const MEMBER = {
  is_admin: false,
  is_restricted: false,
  is_stranger: false,
  team_id: 'T000000001',
  deleted: false,
  is_bot: false,
};

/** Gives a person of the demo workspace this role. */
export function setRole({ slack }: Stack, user: string, role: Role): void {
  slack.setUser(user, { ...MEMBER, ...FIELDS[role] });
}

/** The filed copies of a message that was deleted in Slack; its sharer was asked about them. */
export interface Copies {
  shareId: number;
  askedAt: number | null;
  folder: number;
  name: string;
}

/**
 * A channel with its folder, its files, shares that wait to be tried again, and copies of files deleted
 * in Slack. Ben shared them all.
 */
export interface ChannelFixture {
  stack: Stack;
  clock: MovableClock;
  ledger: Ledger;
  place: Place;
  channel: string;
  ref: { team: string; channel: string };
  folder: number;
  /** The message whose files are in the folder. */
  shared: Posted | null;
  refused: Posted[];
  copies: Copies[];
  /** The copies of another channel of the workspace. */
  foreign: Copies[];
}

export interface RightsFixture {
  channels: Record<Place, ChannelFixture>;
  stop(): Promise<void>;
}

/**
 * The timeout of the start, even on a slow machine, in milliseconds: it shares some hundred files.
 */
export const START_MS = 180_000;

/** Prepares every place of the table, in an app with a default folder and one without. */
export async function startRightsFixture(): Promise<RightsFixture> {
  const [withDefault, without] = await Promise.all([openStack(), openStack(WITHOUT_DEFAULT)]);
  const at = (place: Place, channel: string, folder = FOLDER, one = withDefault) => {
    const lists = { shared: null, refused: [], copies: [], foreign: [] };
    return { ...one, place, channel, ref: refOf(one.stack, channel), folder, ...lists };
  };
  const channels: RightsFixture['channels'] = {
    linked: at('linked', 'design', FLOOR_PLANS),
    default: at('default', 'general'),
    private: at('private', 'board'),
    direct: at('direct', 'dm'),
    unlinked: at('unlinked', 'general', FLOOR_PLANS, without),
  };
  await prepare(channels);
  const stop = async () => {
    await withDefault.stack.stop();
    await without.stack.stop();
  };
  return { channels, stop };
}

async function openStack(env: Record<string, string> = {}) {
  const opened: Ledger[] = [];
  const aroundLedger = (ledger: Ledger) => {
    opened.push(withLines(ledger));
    return ledger;
  };
  const clock = createMovableClock();
  const stack = await startStack({ env, appOptions: { aroundLedger, clock } });
  const [ledger] = opened;
  if (!ledger) throw new Error('The app opened no ledger');
  return { stack, ledger, clock };
}

async function prepare(channels: RightsFixture['channels']): Promise<void> {
  const { linked, default: general, unlinked } = channels;
  for (const fixture of [linked, general, unlinked]) await link(fixture);
  const design = { channel: 'design', ref: refOf(unlinked.stack, 'design') };
  const elsewhere = { ...unlinked, ...design, copies: unlinked.foreign };
  await link(elsewhere);
  await Promise.all([
    share(linked, 'linked'),
    share(general, 'elsewhere', SOME_FILES),
    share(unlinked, 'unlinked', SOME_FILES),
    share(elsewhere, 'elsewhere', SOME_FILES),
  ]);
  await Promise.all([linked, unlinked, elsewhere].map(deleteInSlack));
  await general.ledger.removeLink(general.ref);
  await Promise.all(
    [general, channels.private, channels.direct].map((fixture) => share(fixture, fixture.place)),
  );
  await Promise.all([general, channels.private, channels.direct].map(deleteInSlack));
  linked.foreign = general.copies;
  for (const fixture of [general, channels.private, channels.direct])
    fixture.foreign = linked.copies;
  for (const fixture of Object.values(channels)) await refuse(fixture, REFUSED);
  await unlinked.ledger.removeLink(unlinked.ref);
}

const refOf = ({ slack }: Stack, channel: string) => ({
  team: slack.ids.team,
  channel: slack.ids.channels[channel] ?? '',
});

/** Links a channel to Floor plans, as an admin would. */
export async function link({ ledger, ref }: ChannelFixture, folderId = FLOOR_PLANS): Promise<void> {
  const folder = { projectId: PROJECT, folderId, projectTitle: null, folderName: null };
  await ledger.setLink(ref, { ...folder, linkedBy: 'UADMIN', linkedAt: 1 });
}

async function share(fixture: ChannelFixture, prefix: string, count = FILES): Promise<void> {
  const files = Array.from({ length: count }, (_, n) => {
    const name = `${prefix}-${n}.txt`;
    return { name, bytes: name };
  });
  const { stack, channel } = fixture;
  fixture.shared = await stack.slack.share({ channel, user: 'ben', files });
  await settledShare(stack.slack, fixture.shared);
}

async function deleteInSlack(fixture: ChannelFixture): Promise<void> {
  const { slack } = fixture.stack;
  for (let n = 0; n < DELETED; n += 1) {
    const name = `${fixture.place}-deleted-in-${fixture.channel}-${n}.txt`;
    const files = [{ name, bytes: `${fixture.channel} ${name}` }];
    const posted = await slack.share({ channel: fixture.channel, user: 'ben', files });
    const { channel, ts } = posted;
    await settledShare(slack, posted);
    await slack.as('ben', 'chat.delete', { channel, ts });
    await slack.until(() =>
      slack.ephemerals('ben').some((one) => one.channel === channel && one.text.includes(name)),
    );
    const [row] = await fixture.ledger.sharesOf({ ...fixture.ref, ts });
    const [copy] = row ? await fixture.ledger.transfersOfShare(row.id) : [];
    if (!copy) throw new Error(`${name} has no copy`);
    const { shareId, askedAt } = copy;
    fixture.copies.push({ shareId, askedAt, folder: fixture.folder, name });
  }
}

/** Shares so many files that are refused. */
export async function refuse(fixture: ChannelFixture, count = 1): Promise<void> {
  const { stack, clock, channel, place } = fixture;
  const at = { slack: stack.slack, clock };
  for (let n = 0; n < count; n += 1)
    fixture.refused.push(
      await shareRefusedFile(at, { channel, name: `${place}-refused-${n}.txt` }),
    );
}

/** Presses a button that was never shown, with any value, as a forger would. */
export function forge(
  { stack: { slack }, ref }: ChannelFixture,
  user: string,
  { action, value }: { action: string; value: object },
): Promise<InteractionResult> {
  const text = { type: 'plain_text', text: 'Forged' };
  const button = { type: 'button', action_id: action, text, value: JSON.stringify(value) };
  const blocks = [{ type: 'actions', block_id: 'forged', elements: [button] }];
  const shown = {
    ts: '1700000000.000100',
    channel: ref.channel,
    user: slack.ids.users[user] ?? '',
  };
  const ephemeral = { ...shown, text: '', blocks, via: 'response_url' as const, edits: 0 };
  return slack.press({ ephemeral, user, actionId: action });
}

/** Returns the names in a list. */
export function namesIn(shown: string): string[] {
  return listedNames(shown).filter((name) => /^[\w-]+\.txt$/.test(name));
}

/** Returns a function that looks for what only this person reads in a thread from now on. */
export function nextEphemeralIn(
  { stack: { slack } }: ChannelFixture,
  user: string,
  { channel, ts }: { channel: string; ts: string },
): () => Ephemeral | undefined {
  const before = slack.ephemerals(user, channel).length;
  const since = () => slack.ephemerals(user, channel).slice(before);
  return () => since().findLast(({ threadTs }) => threadTs === ts);
}

/** Returns what a person reads; `done` once that holds and there is nothing to say. */
export async function responseTo(
  { stack: { slack } }: ChannelFixture,
  next: Pick<InteractionResult, 'ephemerals'> | (() => Ephemeral | undefined),
  done: () => Promise<boolean> = async () => false,
): Promise<string> {
  return slack.until(async () => {
    const answer = typeof next === 'function' ? next() : next.ephemerals.at(-1);
    if (answer) return screen(answer);
    return (await done()) ? 'done' : undefined;
  });
}

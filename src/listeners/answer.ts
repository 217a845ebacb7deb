import { inTime, PigeonholeError } from '../base/index.ts';
import type { Doing, RefusedChange, ServiceTroubleInput, View } from '../blocks/index.ts';
import * as views from '../blocks/index.ts';
import { type CallOptions, ServiceError } from '../service/index.ts';
import { type Actor, type LinkBy, may, type Permission, verdictOn } from '../transfers/index.ts';
import type { ListenerContext } from './listener-context.ts';

export interface AnswerOptions {
  /** Puts it before them. */
  respond(message: AnswerMessage): Promise<unknown>;
  /** What is being done, for the words of a failure. */
  doing: Doing;
  asker: Asker;
  /** Whether a command was typed: who waits longer than a second for its answer is told so. */
  isCommand?: boolean;
  /** Put the answer in the place of the message that holds the button. */
  replace?: boolean;
}

/** An answer as Slack takes it at a command's or a button's response_url. */
export interface AnswerMessage extends View {
  response_type: 'ephemeral';
  replace_original: boolean;
}

/** What is shown, and what takes its place when more is known. */
export interface StagedView extends View {
  rest?: () => Promise<View>;
}

/**
 * The one way from a command, a button or a shortcut to what it does: answers it privately with what
 * `handle` resolves to for who is admitted. A failure becomes plain words with a reference that finds it
 * in the log; null means that there is nothing to say. Somebody who asks for more than one person may is
 * told to wait. What completes a view replaces it; Slack puts it below the view where a command was typed.
 */
export async function answer(
  options: AnswerOptions,
  context: ListenerContext,
  handle: (asked: Asked) => Promise<StagedView | null>,
): Promise<void> {
  const turn = context.turns.take(options.asker.userId);
  if ('waitMs' in turn) return sayInstead(views.slowDown(turn), options, context);
  try {
    const made = admit(options.asker, context, handle);
    const view = await sayingLooking(made, options, context);
    if (view) await options.respond(message(view, options.replace ?? false));
    if (view?.rest) await showRest(view.rest, options, context);
  } catch (error) {
    await sayInstead(
      views.serviceTrouble(troubleOf(error, options.doing, context)),
      options,
      context,
    );
  } finally {
    turn.end();
  }
}

// What was done before it is done, whether or not all of the view can be had.
async function showRest(
  rest: NonNullable<StagedView['rest']>,
  options: AnswerOptions,
  context: ListenerContext,
): Promise<void> {
  try {
    await options.respond(message(await rest(), true));
  } catch (error) {
    await sayInstead(views.serviceTrouble(troubleOf(error, 'list', context)), options, context);
  }
}

const PATIENCE_MS = 1_000;

// Who was told to wait is told the end as well, where all else is shown elsewhere.
async function sayingLooking(
  made: Promise<StagedView | null>,
  options: AnswerOptions,
  context: ListenerContext,
): Promise<StagedView | null> {
  if (!options.isCommand) return made;
  const settled = Promise.allSettled([made]);
  const isSoon = await inTime(settled, { clock: context.clock, ms: PATIENCE_MS, late: null });
  if (isSoon) return made;
  await sayInstead(views.looking(), options, context);
  return (await made) ?? views.done();
}

async function sayInstead(
  view: View,
  { respond }: AnswerOptions,
  { logger }: ListenerContext,
): Promise<void> {
  await respond(message(view, false)).catch((failure: unknown) =>
    logger.warn({ error: failure }, 'An answer could not be delivered'),
  );
}

function message({ text, blocks }: View, replace: boolean): AnswerMessage {
  return { response_type: 'ephemeral', replace_original: replace, text, blocks };
}

/** What people are told of an error, which is logged here with the reference that they get. */
export function troubleOf(
  error: unknown,
  doing: Doing,
  { logger, random, operator }: ListenerContext,
): ServiceTroubleInput {
  const reference = random.id().slice(0, 8);
  const code = error instanceof PigeonholeError ? error.code : 'UNEXPECTED';
  const { retryAfterMs = null, said: note = null } = error instanceof ServiceError ? error : {};
  logger.warn({ error, reference, doing }, 'A command could not be answered');
  return { code, note, retryAfterMs, reference, doing, operator };
}

/** Who a request says that it is from, and where they were. */
export interface Asker {
  channel: string;
  userId: string;
  /** The workspace that the request says they belong to; null when it does not say. */
  userTeam: string | null;
  /** What opens a modal for them, once and within 3 s; undefined where nothing does. */
  triggerId?: string | undefined;
}

/** Who is behind an interaction, as it says. */
interface Interaction {
  user: { id: string; team_id?: string };
  team?: { id: string } | null;
  trigger_id?: string;
}

/** Who a press, a form or a shortcut is from. */
export function askerOf(
  { user, team, trigger_id: triggerId }: Interaction,
  channel: string,
): Asker {
  const userTeam = user.team_id ?? team?.id ?? null;
  return { channel, userId: user.id, userTeam, triggerId };
}

/** Who asks, as Slack says, and where. */
export interface Asked extends Actor {
  team: string;
  channel: string;
  linkBy: LinkBy;
  triggerId?: string | undefined;
  /**
   * For their calls to the service: these take turns with those of others, and all of one person's
   * together have no more than one person's share of the window.
   */
  call: CallOptions;
}

/** What is done about something for who asks. What a button, a form or a command hands in is unchecked. */
export type Handler<About, Result = View | null> = (
  asked: Asked,
  about: About,
  context: ListenerContext,
) => Promise<Result>;

/** Whether a channel is a direct message: with the app, or of others who type a command there. */
export function isDirect({ channel }: { channel: string }): boolean {
  return channel.startsWith('D');
}

/** Who asks, for words that depend on whether they may link where they ask. */
export function readerOf(asked: Asked) {
  const { linkBy } = asked;
  return { mayLink: may(asked, 'link-channel'), linkBy, isDirect: isDirect(asked) };
}

/**
 * Slack is asked who it is, and an account that is nobody's gets nothing. Rejects when Slack does not say:
 * then nobody has any rights.
 */
export async function admit(
  asker: Asker,
  context: Pick<ListenerContext, 'workspace' | 'linkBy'>,
  handle: (asked: Asked) => Promise<StagedView | null>,
): Promise<StagedView | null> {
  const asked = await identify(asker, context);
  return may(asked, 'see-channel') ? handle(asked) : views.notForAccounts();
}

/** Asks Slack who somebody is. Rejects when it does not say: then nobody has any rights. */
export async function identify(
  { userId, userTeam, ...place }: Asker,
  { workspace, linkBy }: Pick<ListenerContext, 'workspace' | 'linkBy'>,
): Promise<Asked> {
  const actor = await workspace.actor(userId, userTeam);
  const { team } = workspace.identity;
  return { ...actor, ...place, team, linkBy, call: { lane: 'interactive', queue: userId } };
}

/** What somebody must be allowed to for each change. */
const PERMISSIONS: Record<RefusedChange, Permission> = {
  unlink: 'unlink-channel',
  announce: 'link-channel',
  'file-earlier': 'file-earlier',
  'stop-filing': 'stop-filing',
  retry: 'retry-share',
  skip: 'file-earlier',
};

/** What somebody reads who may not make a change, to what `ownerId` shared or started; null: they may. */
export function refusalOf(
  asked: Asked,
  change: RefusedChange,
  ownerId: string | null = null,
): View | null {
  const reason = verdictOn(asked, PERMISSIONS[change], ownerId);
  return reason === 'allowed' ? null : views.changeRefused({ ...asked, change, reason });
}

import { inTime, PigeonholeError } from '../../base/index.ts';
import {
  type Actor,
  isDirect,
  type LinkBy,
  may,
  type Permission,
  verdictOn,
} from '../../core/index.ts';
import { type CallOptions, ServiceError } from '../../service/index.ts';
import type { View } from './layout.ts';
import { isStillIn } from './membership.ts';
import { say } from './prose.ts';
import {
  changeRefused,
  LOOKING,
  leftChannel,
  NOT_FOR_ACCOUNTS,
  type RefusedChange,
} from './refusals.ts';
import { type Doing, type ServiceTroubleInput, serviceTrouble } from './service-trouble.ts';
import type { SurfaceContext } from './surface-context.ts';

export interface AnswerOptions {
  /** Shows a message to the person. */
  respond(message: AnswerMessage): Promise<unknown>;
  /** Selects the wording of an error message. */
  doing: Doing;
  asker: Asker;
  /**
   * Only for a typed command: if it takes over 1 s, a message says that work goes on; this follows
   * it when the outcome shows elsewhere.
   */
  afterLooking?: View;
  /** Whether the answer replaces the message that holds the button. Default: false. */
  replace?: boolean;
}

/** An answer in the format that a response_url of Slack accepts. */
interface AnswerMessage extends View {
  response_type: 'ephemeral';
  replace_original: boolean;
}

/** A view to show at once, and `rest`, which resolves with its replacement. */
export interface StagedView extends View {
  rest?: () => Promise<View>;
}

/** A message to one person about a channel; `elsewhere` is the channel if it is read outside it. */
export type PrivateView = (elsewhere?: string) => View;

/**
 * Handles a command, a button or a shortcut: identifies the person and answers privately with the
 * view that `handle` resolves to, or not at all for null. Refuses bots and deactivated accounts, and
 * people who are not in the private channel where they ask: an old list may still be open there. An
 * error is shown in plain words, with a reference to find it in the log. `rest` replaces the view;
 * after a typed command, Slack shows it below the view instead.
 */
export async function answer(
  options: AnswerOptions,
  context: SurfaceContext,
  handle: (asked: Asked) => Promise<StagedView | null>,
): Promise<void> {
  let { doing } = options;
  try {
    const handled = identify(options.asker, context).then(
      async (asked) => (await barred(asked, context)) ?? handle(asked),
    );
    const view = await sayLookingIfSlow(handled, options, context);
    if (view) await deliver(view, options.replace ?? false, options);
    // The action has succeeded, even if the rest of the view fails.
    doing = 'list';
    if (view?.rest) await deliver(await view.rest(), true, options);
  } catch (error) {
    const trouble = troubleOf(error, doing, context);
    await respondOrLog(serviceTrouble(trouble), options, context);
  }
}

/** Returns the refusal for a person who may ask nothing at all there; null for others. */
async function barred(asked: Asked, context: SurfaceContext): Promise<View | null> {
  if (!may(asked, 'see-channel')) return NOT_FOR_ACCOUNTS;
  const { channel } = asked;
  // The App Home is no channel, and a direct message is closed to all others.
  if (channel === '' || isDirect(asked)) return null;
  // A form may have been opened elsewhere, as by an admin in the App Home.
  const isIn = asked.isElsewhere
    ? await isStillIn(asked, context)
    : !(await context.workspace.isClosedTo(asked, channel));
  return isIn ? null : say(leftChannel());
}

// Once more after a failure: Slack may not have taken it, and the action has succeeded.
async function deliver(view: View, replace: boolean, { respond }: AnswerOptions): Promise<void> {
  await respond(message(view, replace)).catch(() => respond(message(view, replace)));
}

const PATIENCE_MS = 1_000;

// Nothing removes a "looking" message, so something follows it even if the outcome shows elsewhere.
async function sayLookingIfSlow(
  handled: Promise<StagedView | null>,
  options: AnswerOptions,
  context: SurfaceContext,
): Promise<StagedView | null> {
  if (!options.afterLooking) return handled;
  const settled = Promise.allSettled([handled]);
  const isSoon = await inTime(settled, { clock: context.clock, ms: PATIENCE_MS, late: null });
  if (isSoon) return handled;
  await respondOrLog(LOOKING, options, context);
  return (await handled) ?? options.afterLooking;
}

async function respondOrLog(
  view: View,
  { respond }: AnswerOptions,
  { logger }: SurfaceContext,
): Promise<void> {
  await respond(message(view, false)).catch((failure: unknown) =>
    logger.warn({ error: failure }, 'An answer could not be delivered'),
  );
}

function message({ text, blocks }: View, replace: boolean): AnswerMessage {
  return { response_type: 'ephemeral', replace_original: replace, text, blocks };
}

/**
 * Returns a `respond` for a request from a thread. Slack shows an answer to a `response_url` in the
 * channel (https://docs.slack.dev/interactivity/handling-user-interaction), so it is posted in the
 * thread instead, unless it replaces a message or cannot be posted there. `ts` and `thread`: of the
 * message that the request is about, as Slack sends them; a thread's first message is read in the
 * channel.
 */
export function respondInThread(
  { channel, userId: user }: Asker,
  { ts, thread, respond }: Pick<AnswerOptions, 'respond'> & { ts: unknown; thread: unknown },
  { workspace }: Pick<SurfaceContext, 'workspace'>,
): AnswerOptions['respond'] {
  if (typeof thread !== 'string' || thread === ts) return respond;
  const to = { channel, user, threadTs: thread };
  return async (answer) => {
    const { text, blocks, replace_original: replaces } = answer;
    if (replaces) return respond(answer);
    return workspace.postEphemeral(to, { text, blocks }).catch(() => respond(answer));
  };
}

/** Logs an error, and returns what people are shown of it, with the same reference. */
export function troubleOf(
  error: unknown,
  doing: Doing,
  { logger, random, operator, linkBy }: SurfaceContext,
): ServiceTroubleInput {
  const reference = random.id().slice(0, 8);
  const code = error instanceof PigeonholeError ? error.code : 'UNEXPECTED';
  const { retryAfterMs = null, said: note = null } = error instanceof ServiceError ? error : {};
  logger.warn({ error, reference, doing }, 'A command could not be answered');
  return { code, note, retryAfterMs, reference, doing, operator, linkBy };
}

/** The person and channel that a request claims to come from. */
interface Asker {
  channel: string;
  userId: string;
  /** The workspace that the request names as theirs; null if it names none. */
  userTeam: string | null;
  /** Opens one modal within 3 s; undefined if the request cannot open one. */
  triggerId?: string | undefined;
  /** The thread in which they ask; absent outside threads. */
  thread?: string | undefined;
  /** Whether they ask from outside the channel, where they see no message posted in it. */
  isElsewhere?: boolean;
}

/** The person in the payload of an interaction. */
interface Interaction {
  user: { id: string; team_id?: string };
  team?: { id: string } | null;
  trigger_id?: string;
}

/** Returns the person behind a press, a form or a shortcut. */
export function askerOf(
  { user, team, trigger_id: triggerId }: Interaction,
  channel: string,
): Asker {
  const userTeam = user.team_id ?? team?.id ?? null;
  return { channel, userId: user.id, userTeam, triggerId };
}

/** The person, as Slack identified them, and the channel of a request. */
export interface Asked extends Actor, Omit<Asker, 'userTeam'> {
  team: string;
  linkBy: LinkBy;
  /**
   * The options of their calls to the service. One person's calls share a queue, which takes turns
   * with the queues of others and gets at most one person's share of the window.
   */
  call: CallOptions;
}

/**
 * Handles a request, or a part of it. Of a request, `about` is unchecked input from a button, a form
 * or a command.
 */
export type Handler<About, Result = View | null> = (
  asked: Asked,
  about: About,
  context: SurfaceContext,
) => Promise<Result>;

/**
 * Returns what the wording of an answer depends on: the right to link, the kind of channel, and the
 * channel itself if the answer is read outside it.
 */
export function readerOf(asked: Asked) {
  const { linkBy, channel, isElsewhere } = asked;
  const where = { isDirect: isDirect(asked), elsewhere: isElsewhere ? channel : undefined };
  return { mayLink: may(asked, 'link-channel'), linkBy, ...where };
}

/**
 * Asks Slack for the person's role. Rejects with SlackCallError if Slack does not return it: without
 * identity nobody has any rights.
 */
export async function identify(
  { userId, userTeam, ...place }: Asker,
  { workspace, linkBy }: SurfaceContext,
): Promise<Asked> {
  const actor = await workspace.actor(userId, userTeam);
  const { team } = workspace.identity;
  return { ...actor, ...place, team, linkBy, call: { lane: 'interactive', queue: userId } };
}

/** The permission that a change needs. Default: to link the channel. */
const PERMISSIONS: Partial<Record<RefusedChange, Permission>> = {
  'stop-filing': 'stop-filing',
  retry: 'retry-share',
  skip: 'leave-in-slack',
};

/** Returns the refusal of a change to what `ownerId` shared or started; null if it is allowed. */
export function refusalOf(
  asked: Asked,
  change: RefusedChange,
  ownerId: string | null = null,
): View | null {
  const reason = verdictOn(asked, PERMISSIONS[change] ?? 'link-channel', ownerId);
  return reason === 'allowed' ? null : changeRefused({ ...asked, change, reason });
}

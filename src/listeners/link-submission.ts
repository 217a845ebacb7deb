import type { App, ViewSubmitAction } from '@slack/bolt';
import { inTime } from '../base/index.ts';
import {
  folderNotMade,
  LINK_MODAL,
  type Line,
  type LinkForm,
  type LinkProblem,
  type LinkRefusal,
  type LinkWish,
  linkChecking,
  linkDone,
  linkErrors,
  linkModal,
  linkProblemSaid,
  linkRefusal,
  operatorMember,
  readLinkForm,
  slowDownLine,
  troubleLine,
  type View,
  wishOf,
} from '../blocks/index.ts';
import { SlackCallError } from '../slack/index.ts';
import { verdictOn } from '../transfers/index.ts';
import { type Asked, identify, isDirect, troubleOf } from './answer.ts';
import { tryLink } from './link-channel.ts';
import type { ListenerContext } from './listener-context.ts';
import { ensureFolder, type FoldersInTheMaking, type WantedFolder } from './new-folder.ts';
import { tellPrivately } from './tell-privately.ts';

/** Slack waits 3 s for what becomes of a form. */
const ANSWER_MS = 2_000;

/** What becomes of a form: a problem in it, or what is said in the modal; null: all is said. */
type Outcome = { problem: LinkProblem } | { said: View | null };

/**
 * The form that links a channel, sent: checked and linked as `/files link` is. What is wrong shows
 * beside its field. What takes longer than Slack waits goes on while the modal says so.
 */
export function listenForLinkSubmission(app: App, context: ListenerContext): void {
  const inTheMaking: FoldersInTheMaking = new Map();
  const at = { type: 'view_submission' as const, callback_id: LINK_MODAL };
  app.view<ViewSubmitAction>(at, async ({ ack, body, view }) => {
    const form = readLinkForm(view);
    if (!form) return ack();
    const outcome = submit({ form, body }, { ...context, inTheMaking });
    const soon = await inTime(outcome, { clock: context.clock, ms: ANSWER_MS, late: null });
    if (!soon) {
      await ack({ response_action: 'update', view: linkChecking() });
      context.inBackground(showLate(await outcome, { form, body }, context));
    } else if ('problem' in soon) {
      await ack({ response_action: 'errors', errors: linkErrors(soon.problem, view) });
    } else if (soon.said === null) await ack();
    else await ack({ response_action: 'update', view: linkDone(soon.said) });
  });
}

interface Sent {
  form: LinkForm;
  body: ViewSubmitAction;
}

type SubmitContext = ListenerContext & { inTheMaking: FoldersInTheMaking };

async function submit({ form, body }: Sent, context: SubmitContext): Promise<Outcome> {
  const wish = wishOf(form);
  if ('field' in wish) return { problem: wish };
  const field = form.address ? 'address' : 'folder';
  const turn = context.turns.take(body.user.id);
  if ('waitMs' in turn) return { problem: { field, why: slowDownLine(turn) } };
  try {
    const { team } = context.workspace.identity;
    const userTeam = body.user.team_id ?? body.team?.id ?? null;
    const asker = { team, channel: form.channel, userId: body.user.id, userTeam };
    const asked = await identify(asker, context);
    const done = await link(asked, { wish, announces: form.announces }, context);
    return 'why' in done
      ? { problem: { field, ...done } }
      : await tell(asked, done.answer, context);
  } catch (error) {
    const trouble = troubleOf(error, 'link', context);
    // No mention stands in a message beside a field.
    const operator = operatorMember(context.operator) === null ? context.operator : null;
    return { problem: { field, why: troubleLine({ ...trouble, operator }) } };
  } finally {
    turn.end();
  }
}

type Linked = { why: Line } | { answer: View | null };

// Rights come first: a folder that is made stays.
async function link(
  asked: Asked,
  { wish, announces }: { wish: LinkWish; announces: boolean },
  context: SubmitContext,
): Promise<Linked> {
  const reason = verdictOn(asked, 'link-channel');
  const refused = (why: { reason: LinkRefusal; typed: string }) => ({
    why: linkRefusal({ ...asked, ...why, isDirect: isDirect(asked) }),
  });
  if (reason !== 'allowed') return refused({ reason, typed: '' });
  const typed = 'typed' in wish ? wish.typed : await newFolder(asked, wish, context);
  if (typed === null) return { why: folderNotMade('name' in wish ? wish.name : '') };
  const done = await tryLink(asked, { typed, announces }, context);
  return 'reason' in done ? refused(done) : done;
}

async function newFolder(asked: Asked, wanted: WantedFolder, context: SubmitContext) {
  const folder = await ensureFolder(asked, wanted, context);
  return folder && `${wanted.newIn}/${folder.id}`;
}

// In the channel, where its buttons work; in the modal where I am not in the channel.
async function tell(
  { channel, userId: user }: Asked,
  view: View | null,
  { workspace }: ListenerContext,
): Promise<Outcome> {
  try {
    if (view) await workspace.postEphemeral({ channel, user }, view);
    return { said: null };
  } catch (error) {
    if (!(error instanceof SlackCallError)) throw error;
    return { said: view };
  }
}

// Who has closed the modal reads of a problem in the channel, or in direct messages.
async function showLate(
  outcome: Outcome,
  { form, body }: Sent,
  context: ListenerContext,
): Promise<void> {
  const { workspace, logger } = context;
  const problem = 'problem' in outcome ? outcome.problem : null;
  const modal = 'said' in outcome ? linkDone(outcome.said) : linkModal({ ...form, problem });
  try {
    await workspace.updateModal({ id: body.view.id }, modal);
  } catch (error) {
    if (!(error instanceof SlackCallError)) throw error;
    logger.debug({ reason: error.reason }, 'A form to link a channel was closed meanwhile');
    if (!problem) return;
    const reader = { channel: form.channel, userId: body.user.id };
    await tellPrivately(reader, (elsewhere) => linkProblemSaid(problem, elsewhere), context);
  }
}

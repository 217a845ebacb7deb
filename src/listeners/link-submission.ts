import type { App } from '@slack/bolt';
import {
  type FolderWish,
  type FormProblem,
  folderNotMade,
  LINK_MODAL,
  type Line,
  type LinkForm,
  type LinkRefusal,
  linkChecking,
  linkDone,
  linkModal,
  linkRefusal,
  readLinkForm,
  type View,
  wishOf,
} from '../blocks/index.ts';
import { SlackCallError } from '../slack/index.ts';
import { verdictOn } from '../transfers/index.ts';
import { type Asked, isDirect } from './answer.ts';
import { listenForFolderUse } from './form-submission.ts';
import { tryLink } from './link-channel.ts';
import type { ListenerContext } from './listener-context.ts';
import { ensureFolder, type FoldersInTheMaking, type WantedFolder } from './new-folder.ts';

/** The form that links a channel, sent: checked and linked as `/files link` is. */
export function listenForLinkSubmission(app: App, context: ListenerContext): void {
  const inTheMaking: FoldersInTheMaking = new Map();
  const use = {
    ...{ callbackId: LINK_MODAL, doing: 'link' as const, read: readLinkForm },
    channelOf: ({ channel }: LinkForm) => channel,
    wishOf: (form: LinkForm) => wishOf(form, form.channelName),
    use: async (asked: Asked, { announces }: LinkForm, wish: FolderWish) => {
      const done = await link(asked, { wish, announces }, { ...context, inTheMaking });
      return 'why' in done ? done : tell(asked, done.answer, context);
    },
    ...{ checking: linkChecking, done: linkDone },
    again: (form: LinkForm, problem: FormProblem) => linkModal({ ...form, problem }),
  };
  listenForFolderUse(app, use, context);
}

type SubmitContext = ListenerContext & { inTheMaking: FoldersInTheMaking };

type Linked = { why: Line } | { answer: View | null };

// Rights come first: a folder that is made stays.
async function link(
  asked: Asked,
  { wish, announces }: { wish: FolderWish; announces: boolean },
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
): Promise<{ said: View | null }> {
  try {
    if (view) await workspace.postEphemeral({ channel, user }, view);
    return { said: null };
  } catch (error) {
    if (!(error instanceof SlackCallError)) throw error;
    return { said: view };
  }
}

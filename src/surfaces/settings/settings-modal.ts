import type { App } from '@slack/bolt';
import { type FolderRef, folderNumber, linkIfTo, may, verdictOn } from '../../core/index.ts';
import { failureOf } from '../../slack/index.ts';
import { type Asked, type Handler, type PrivateView, readerOf } from '../kit/answer.ts';
import type { View } from '../kit/layout.ts';
import type { SurfaceContext } from '../kit/surface-context.ts';
import { listenForFolderUse, listsProjects, openForm, type Said } from '../link/folder-form.ts';
import type { Modal } from '../link/folder-form-view.ts';
import { tryLink } from '../link/link-channel.ts';
import { linkRefusal, linkRefused, linkUsage } from '../link/link-refusals.ts';
import { folderOption } from '../link/search-options.ts';
import { SETTINGS_FORM, type SettingsForm, settingsOutdated } from './settings-view.ts';

/**
 * Opens the form with a channel's settings, if the person may link it. The channel's name follows.
 * Returns null once it is open, else a refusal or how to link by command.
 */
export async function openSettings(asked: Asked, context: SurfaceContext): Promise<View | null> {
  const reason = verdictOn(asked, 'link-channel');
  if (reason !== 'allowed') return linkRefused({ ...readerOf(asked), reason, typed: '' });
  const { channel, isElsewhere = false } = asked;
  const { ledger } = context;
  const link = await ledger.findLink(asked);
  const place = { channel, channelName: null, isElsewhere, isListed: true };
  const { lines = false, announces = false } = link ?? {};
  const form = { ...place, ...folderOf(link), lines, announces };
  const toOpen = {
    first: SETTINGS_FORM.show(form),
    prepare: () => prepare(asked, form, context),
    notOpened: linkUsage(readerOf(asked)),
  };
  return openForm(asked, toOpen, context);
}

function folderOf(link: FolderRef | null): Pick<SettingsForm, 'linked' | 'folder'> {
  if (!link) return { linked: null, folder: null };
  const { projectId, folderId } = link;
  const label = folderOption(link).text.text;
  return {
    linked: { projectId, folderId, label },
    folder: { label, value: folderNumber(link) },
  };
}

async function prepare(asked: Asked, form: SettingsForm, context: SurfaceContext): Promise<Modal> {
  const [channelName, isListed] = await Promise.all([
    nameFor(asked, context),
    listsProjects(asked, context),
  ]);
  return SETTINGS_FORM.show({ ...form, channelName, isListed });
}

// Only people in the channel may see its name. If Slack doesn't say who is in it, nobody may.
async function nameFor(
  { userId, channel }: { userId: string; channel: string },
  { workspace }: SurfaceContext,
): Promise<string | null> {
  const [own, name] = await Promise.all([
    workspace.channelsOf(userId).catch((): string[] => []),
    workspace.channelName(channel),
  ]);
  return own.includes(channel) ? name : null;
}

/** Handles the form with a channel's settings: its folder is checked as by `/files link`. */
export function listenForSettings(app: App, context: SurfaceContext): void {
  const use = {
    ...{ kind: SETTINGS_FORM, doing: 'link' as const },
    perform: async (asked: Asked, form: SettingsForm, typed: string) => {
      const { announces, lines } = form;
      if (await isOutdated(asked, form, context)) return { why: settingsOutdated(readerOf(asked)) };
      const done = await tryLink(asked, { typed, announces, lines }, context);
      if ('reason' in done) return { why: linkRefusal({ ...readerOf(asked), ...done }) };
      return sayOutcome(asked, done.answer, context);
    },
  };
  listenForFolderUse(app, use, context);
}

// Whether the form still shows the folder that it began with, and the channel has another one, or none,
// since: saving the other settings must not bring that back.
const isOutdated: Handler<SettingsForm, boolean> = async (asked, { linked, folder }, context) => {
  if (!linked || folder?.value !== folderNumber(linked) || !may(asked, 'link-channel'))
    return false;
  return linkIfTo(linked, await context.ledger.findLink(asked)) === null;
};

// Posts the answer in the channel. If it isn't read there, because the person opened the form
// elsewhere, or they or the bot are not in it, the modal shows it and names the channel. An answer
// with buttons, which work only in messages, is sent directly.
const sayOutcome: Handler<PrivateView | null, Said> = async (asked, answer, context) => {
  if (!answer) return { said: null };
  const { workspace, inBackground } = context;
  const { channel, userId: user, isElsewhere } = asked;
  const posted = () => failureOf(workspace.postEphemeral({ channel, user }, answer()));
  if (!isElsewhere && !(await posted())) return { said: null };
  const said = answer(channel);
  const hasButtons = said.blocks.some(({ type }) => type === 'actions');
  if (hasButtons) inBackground(workspace.notify(user, said));
  return { said: hasButtons ? null : () => said };
};

import type { types } from '@slack/bolt';
import { z } from 'zod';
import { isDirect } from '../../core/index.ts';
import { CLAIMED_FOLDER } from '../kit/claims.ts';
import { type Block, button, buttonRow, option, plain } from '../kit/layout.ts';
import { type AboutChannel, type Line, line, placeWord, prose } from '../kit/prose.ts';
import { UNLINK } from '../link/actions.ts';
import {
  createForm,
  type FolderForm,
  field,
  folderField,
  formPlace,
  requestOf,
} from '../link/folder-form-view.ts';

/** The `action_id` of the checkboxes. */
export const SETTINGS_CHOICES = 'settings_choices';

const carried = formPlace.extend({
  /** The folder of the channel, and its path for display; null for none. */
  linked: z
    .object({ ...CLAIMED_FOLDER, label: z.string() })
    .nullable()
    .default(null),
});

/** What somebody has chosen so far. */
export interface SettingsForm extends FolderForm, z.infer<typeof carried> {
  /** Whether each share also gets a line in its thread. */
  lines: boolean;
  /** Whether announcements tell the channel what others add to the folder. */
  announces: boolean;
}

function intro({ channel, channelName }: SettingsForm): Line {
  const named = channelName === null ? { channel } : { file: `#${channelName}` };
  return isDirect({ channel })
    ? line`Files shared here will go to the folder you choose.`
    : line`Files shared in ${named} will go to the folder you choose. I’ll tell the channel if it changes.`;
}

const CHOICES = {
  lines: {
    ...option('Also a line in each thread', 'lines'),
    description: plain('Otherwise only a reaction, unless something needs somebody.', 75),
  },
  announces: {
    ...option('Post when others add files to the folder', 'announces'),
    description: plain('At most one message in ten minutes.', 75),
  },
};

// The `block_id` never changes, so Slack keeps what is ticked when the form changes.
function choicesField({ lines, announces }: SettingsForm): types.InputBlock {
  const ticked = [lines ? CHOICES.lines : [], announces ? CHOICES.announces : []].flat();
  return field('choices', 'Messages', {
    element: {
      type: 'checkboxes',
      action_id: SETTINGS_CHOICES,
      options: [CHOICES.lines, CHOICES.announces],
      ...(ticked.length > 0 ? { initial_options: ticked } : {}),
    },
  });
}

function unlinkButton({ linked, channel }: SettingsForm): Block[] {
  if (!linked) return [];
  const { label, ...folder } = linked;
  const here = placeWord({ isDirect: isDirect({ channel }) });
  const unlink = button({
    action: UNLINK,
    label: `Unlink this ${here}`,
    claim: folder,
    style: 'danger',
    confirm: {
      title: `Unlink this ${here}?`,
      text: `Files shared from now on won’t go to ${label}. What’s in it stays there.`,
      confirm: 'Unlink',
      deny: 'Keep the folder',
    },
  });
  return buttonRow([unlink]);
}

/** Shown beside the field if the channel has got another folder, or lost its own, since the form opened. */
export function settingsOutdated(where: AboutChannel): Line {
  return line`This ${placeWord(where)}’s folder has changed since. Open the settings again.`;
}

const ticked = z.object({ selected_options: z.array(z.object({ value: z.string() })) });

/** The form with the settings of a channel: its folder, and what it is told. */
export const SETTINGS_FORM = createForm({
  callbackId: 'link_channel',
  title: 'Where files go',
  submit: 'Save',
  carried,
  readOwn: (fields) => {
    const chosen = ticked.safeParse(fields[SETTINGS_CHOICES]).data?.selected_options ?? [];
    const has = (choice: string) => chosen.some(({ value }) => value === choice);
    return { lines: has('lines'), announces: has('announces') };
  },
  blocks: (form) => [
    prose(intro(form)),
    ...folderField(form),
    choicesField(form),
    ...unlinkButton(form),
  ],
  requestOf,
  checking: [
    line`Checking the folder…`,
    line`You can close this: I’ll post the result in the channel, or message you. If you hear nothing within a minute, try again; nothing is done twice.`,
  ],
  done: line`Done. You’ll find the details in the channel, or in your direct messages with me.`,
});

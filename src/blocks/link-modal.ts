import type { types } from '@slack/bolt';
import { z } from 'zod';
import {
  type FolderForm,
  type FormPlace,
  fieldsOf,
  folderFields,
  type Modal,
  modal,
  readFolderForm,
  readPlace,
  type SentForm,
} from './folder-form.ts';
import { plain } from './layout.ts';
import { type Line, line, prose, type View } from './prose.ts';
import { option } from './search-options.ts';

/** The `callback_id` of the form. */
export const LINK_MODAL = 'link_channel';

const TITLE = 'Link this channel';

/** The `action_id` of the checkbox that turns announcements on. */
export const LINK_ANNOUNCES = 'link_announces';

/** What somebody has chosen so far. */
export interface LinkForm extends FolderForm, FormPlace {
  /** Whether announcements will tell the channel what others add to the folder. */
  announces: boolean;
}

/** The form that links a channel to a folder: a project's, a new one, or one by its address. */
export function linkModal(input: LinkForm): Modal {
  const { channel, channelName, isElsewhere } = input;
  return {
    ...modal(TITLE, [prose(intro(input)), ...folderFields(input), announcesField(input)], 'Cancel'),
    callback_id: LINK_MODAL,
    private_metadata: JSON.stringify({ channel, channelName, isElsewhere }),
    submit: plain('Link', 24),
  };
}

function intro({ channel, channelName, isListed }: LinkForm): Line {
  const named = channelName === null ? { channel } : { file: `#${channelName}` };
  const where = channel.startsWith('D') ? ['here'] : line`in ${named}`;
  const told = line`Files shared ${where} will be filed in the folder you choose. I’ll tell the channel that you linked it.`;
  return isListed
    ? line`Choose a project and a folder, or paste the folder’s address. ${told}`
    : line`${told} The file service doesn’t list its projects here.`;
}

// The `block_id` never changes, so Slack keeps the checkbox when other fields change.
function announcesField({ announces }: LinkForm): types.InputBlock {
  const options = [option('Post here when others add files to the folder', 'announces')];
  return {
    type: 'input',
    block_id: 'announces',
    optional: true,
    label: plain('Announcements', 50),
    hint: plain('At most one message every ten minutes, and never for files shared in Slack.', 150),
    element: {
      type: 'checkboxes',
      action_id: LINK_ANNOUNCES,
      options,
      ...(announces ? { initial_options: options } : {}),
    },
  };
}

/** Replaces the form while the folder is being checked. */
export function linkChecking(): Modal {
  const what = line`Checking the folder…`;
  const then = line`You can close this. I’ll post the result in the channel, or message you. If you hear nothing within a minute, try again; nothing is done twice.`;
  return modal(TITLE, [prose(what, then)], 'Close');
}

/** Replaces the form with the result; null: the result is posted elsewhere. */
export function linkDone(said: View | null): Modal {
  const done = line`Done. You’ll find the details in the channel, or in your direct messages with me.`;
  return modal(TITLE, said?.blocks ?? [prose(done)], 'Close');
}

const ticked = z.object({ selected_options: z.array(z.unknown()).nonempty() });

/** Reads the choices from a sent or changed form; null when the form is not ours. */
export function readLinkForm(form: SentForm): LinkForm | null {
  const place = readPlace(form);
  const announces = ticked.safeParse(fieldsOf(form)[LINK_ANNOUNCES]).success;
  return place && { ...place, announces, ...readFolderForm(form) };
}

/** Says why the folder was not created. */
export function folderNotMade(name: string): Line {
  return line`The file service doesn’t let me make the folder ${{ file: name }}. Make it there, then choose it here.`;
}

import type { types } from '@slack/bolt';
import { z } from 'zod';
import { isDirect } from '../transfers/index.ts';
import {
  createForm,
  type FolderForm,
  field,
  folderFields,
  formPlace,
  requestOf,
} from './folder-form.ts';
import { option, plain } from './layout.ts';
import { type Line, line, prose } from './prose.ts';

/** The `action_id` of the checkbox that turns announcements on. */
export const LINK_ANNOUNCES = 'link_announces';

/** What somebody has chosen so far. */
export interface LinkForm extends FolderForm {
  /** Whether announcements will tell the channel what others add to the folder. */
  announces: boolean;
}

function intro({ channel, channelName, isListed }: LinkForm): Line {
  const named = channelName === null ? { channel } : { file: `#${channelName}` };
  const willBeFiled = isDirect({ channel })
    ? line`Files shared here will be filed in the folder you choose.`
    : line`Files shared in ${named} will be filed in the folder you choose. I’ll tell the channel that you linked it.`;
  return isListed
    ? line`Choose a project and a folder, or paste the folder’s address. ${willBeFiled}`
    : line`${willBeFiled} The file service doesn’t list its projects here.`;
}

// The `block_id` never changes, so Slack keeps the checkbox when other fields change.
function announcesField({ announces }: LinkForm): types.InputBlock {
  const options = [option('Post here when others add files to the folder', 'announces')];
  return field('announces', 'Announcements', {
    hint: plain('At most one message every ten minutes, and never for files shared in Slack.', 150),
    element: {
      type: 'checkboxes',
      action_id: LINK_ANNOUNCES,
      options,
      ...(announces ? { initial_options: options } : {}),
    },
  });
}

const ticked = z.object({ selected_options: z.array(z.unknown()).nonempty() });

/** The form that links a channel to a folder: a project's, a new one, or one by its address. */
export const LINK_FORM = createForm({
  callbackId: 'link_channel',
  title: 'Link to a folder',
  submit: 'Link',
  carried: formPlace,
  readOwn: (fields) => ({ announces: ticked.safeParse(fields[LINK_ANNOUNCES]).success }),
  blocks: (form) => [prose(intro(form)), ...folderFields(form), announcesField(form)],
  requestOf,
  checking: [
    line`Checking the folder…`,
    line`You can close this. I’ll post the result in the channel, or message you. If you hear nothing within a minute, try again; nothing is done twice.`,
  ],
  done: line`Done. You’ll find the details in the channel, or in your direct messages with me.`,
});

/** Says why the folder was not created. */
export function folderNotMade(name: string): Line {
  return line`The file service doesn’t let me make the folder ${{ typed: name }}. Make it there, then choose it here.`;
}

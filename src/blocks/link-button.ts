import type { types } from '@slack/bolt';
import { ACTIONS, channelValue } from './actions.ts';
import { button } from './layout.ts';

/** Opens the form that links the channel that it is pressed in; for people who may link it. */
export function linkButton(): types.Button {
  const value = channelValue.write({ channel: null });
  return button({ action: ACTIONS.linkChannel, label: 'Link this channel', value });
}

import type { types } from '@slack/bolt';

export type Block = types.KnownBlock;

/** What is sent to Slack as one message, or as the answer to a command or a button. */
export interface View {
  /** What a notification and a screen reader say. Escaped as mrkdwn. */
  text: string;
  /** What is shown. Names from people stand in `plain_text` and `rich_text` alone. */
  blocks: Block[];
}

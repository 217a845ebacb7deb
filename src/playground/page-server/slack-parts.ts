import type {
  EmbeddedSlack,
  ShownMessage,
  SlackFile,
  SlackMessage,
} from '../embedded-slack/index.ts';
import type { Cast } from './cast.ts';
import type { Parts } from './parts.ts';

/** Returns what people see: messages with threads, private messages, modals and Home tabs. */
export async function slackParts(slack: EmbeddedSlack, cast: Cast): Promise<Parts> {
  const parts: Parts = new Map();
  for (const { id } of cast.channels) {
    for (const message of await slack.state(id)) {
      parts.set(`message/${id}/${message.ts}`, shownMessage(message));
    }
  }
  for (const { id, name } of cast.people) {
    for (const { ts, channel, text, blocks, threadTs, edits } of slack.ephemerals(id)) {
      const shown = { ts, channel, user: id, text, blocks, threadTs, edits };
      parts.set(`ephemeral/${channel}/${id}/${ts}`, shown);
    }
    const views = slack.views(name);
    if (views.length > 0) parts.set(`views/${id}`, views);
    const home = slack.home(name);
    if (home) parts.set(`home/${id}`, home);
  }
  return parts;
}

function shownMessage(message: ShownMessage) {
  return { ...shown(message), replies: message.replies.map(shown) };
}

function shown({ ts, user, text, blocks, files, reactions, subtype, edited }: SlackMessage) {
  return { ts, user, text, blocks, files: files?.map(shownFile), reactions, subtype, edited };
}

function shownFile({ id, name, size, mimetype, mode }: SlackFile) {
  return { id, name, size, mimetype, mode };
}

import { emoji } from './emoji.js';
import { mrkdwn } from './mrkdwn.js';

/** Draws text (https://docs.slack.dev/reference/block-kit/composition-objects/text-object). */
export function textObject(object) {
  if (!object) return [];
  return object.type === 'mrkdwn' ? mrkdwn(object.text) : [plainText(object)];
}

/** Returns a text object's text as one string, with emoji, for options and labels. */
export function plainText(object) {
  if (!object) return '';
  if (object.emoji === false) return object.text;
  return object.text.replace(/:([a-z0-9_+-]+):/g, (_whole, name) => emoji(name));
}

import { h } from '../base/dom.js';
import { formatSlackDate } from '../base/format.js';
import { channelMention, link, personMention } from './references.js';

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

const FENCE = /```\n?([\s\S]+?)\n?```/g;

const INLINE = new RegExp(
  [
    '`(?<code>[^`\\n]+)`',
    '<(?<link>[^<>\\n]+)>',
    '(?<![\\w*])\\*(?!\\s)(?<bold>[^*\\n]+?)(?<!\\s)\\*(?![\\w*])',
    '(?<!\\w)_(?!\\s)(?<italic>[^_\\n]+?)(?<!\\s)_(?!\\w)',
    '(?<!\\w)~(?!\\s)(?<strike>[^~\\n]+?)(?<!\\s)~(?!\\w)',
    ':(?<emoji>[a-z0-9_+-]+):',
  ].join('|'),
  'g',
);

const WRAPPERS = { bold: 'strong', italic: 'em', strike: 's' };

/** Draws Slack's markup (https://docs.slack.dev/messaging/formatting-message-text). */
export function mrkdwn(text) {
  const nodes = [];
  let end = 0;
  for (const match of text.matchAll(FENCE)) {
    nodes.push(...lines(text.slice(end, match.index)));
    nodes.push(h('pre', decode(match[1])));
    end = match.index + match[0].length;
  }
  return [...nodes, ...lines(text.slice(end))];
}

// Decodes the three characters that Slack escapes as entities.
function decode(text) {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}

const QUOTED = /^(?:>|&gt;) ?/;

// Consecutive lines that start with > form one quotation.
function lines(text) {
  if (text === '') return [];
  const runs = [];
  for (const line of text.split('\n')) {
    const isQuote = QUOTED.test(line);
    const words = isQuote ? line.replace(QUOTED, '') : line;
    const last = runs.at(-1);
    if (last?.isQuote === isQuote) last.lines.push(words);
    else runs.push({ isQuote, lines: [words] });
  }
  return runs.flatMap(({ isQuote, lines: words }) => {
    const nodes = inline(words.join('\n'));
    return isQuote ? [h('blockquote', ...nodes)] : nodes;
  });
}

function inline(text) {
  const nodes = [];
  let end = 0;
  for (const match of text.matchAll(INLINE)) {
    nodes.push(decode(text.slice(end, match.index)), ...drawn(match.groups));
    end = match.index + match[0].length;
  }
  return [...nodes, decode(text.slice(end))].filter((node) => node !== '');
}

function drawn({ code, link: target, emoji: name, ...wrapped }) {
  if (code !== undefined) return [h('code', decode(code))];
  if (target !== undefined) return [reference(target)];
  if (name !== undefined) return [emoji(name)];
  const [kind, inner] = Object.entries(wrapped).find(([, value]) => value !== undefined);
  return [h(WRAPPERS[kind], {}, ...inline(inner))];
}

function reference(target) {
  const [address, label] = target.split(/\|(.*)/s);
  if (address.startsWith('@')) return personMention(address.slice(1));
  if (address.startsWith('#')) return channelMention(address.slice(1));
  if (address.startsWith('!date^')) {
    const [, seconds, format] = address.split('^');
    return h('time', formatSlackDate(seconds, decode(format ?? label ?? '')));
  }
  if (address.startsWith('!')) return h('span.mention', `@${label ?? address.slice(1)}`);
  return link(decode(address), decode(label ?? address));
}

const EMOJI = {
  hourglass_flowing_sand: '⏳',
  white_check_mark: '✅',
  heavy_check_mark: '✔️',
  warning: '⚠️',
  x: '❌',
  eyes: '👀',
  file_folder: '📁',
  open_file_folder: '📂',
  inbox_tray: '📥',
  package: '📦',
  bell: '🔔',
  tada: '🎉',
  wave: '👋',
  thumbsup: '👍',
  '+1': '👍',
  thumbsdown: '👎',
  '-1': '👎',
  smile: '😄',
  heart: '❤️',
  rocket: '🚀',
  pushpin: '📌',
  link: '🔗',
  lock: '🔒',
  arrows_counterclockwise: '🔄',
  information_source: 'ℹ️',
  bird: '🐦',
  dove_of_peace: '🕊️',
  wastebasket: '🗑️',
};

/** Returns an emoji's character, or its name between colons if it is not in the table. */
export function emoji(name) {
  return Object.hasOwn(EMOJI, name) ? EMOJI[name] : `:${name}:`;
}

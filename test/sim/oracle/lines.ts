import type { Json, SlackMessage } from '../slack/state.ts';

/**
 * Returns what people read in a message: the words of its blocks, with people as `<@id>`. Its text
 * serves notifications and may be shortened; people read it only if no block has words.
 */
export function wordsShown({ text, blocks }: Pick<SlackMessage, 'text' | 'blocks'>): string {
  const lines = blocks.filter(({ type }) => type === 'rich_text').map(piecesOf);
  return lines.length === 0 ? text : lines.join('\n');
}

function piecesOf({ type, elements, text, user_id, fallback }: Json): string {
  if (Array.isArray(elements)) return elements.map(piecesOf).join('');
  if (type === 'user') return `<@${user_id}>`;
  return String(text ?? fallback ?? '');
}

/**
 * Returns how many files a list names: no name in a world has a comma, or ends as the list does.
 */
export function countOf(names: string): number {
  const [, more = '0'] = / and (\d+) more$/.exec(names) ?? [];
  return names.split(', ').length + Number(more);
}

const LOST_IN_SLACK = /^Deleted in Slack before (?:it was|they were) filed: (.+)$/m;

/** Returns how many files a line says were deleted in Slack before they were filed. */
export function lostIn(words: string): number {
  const [, names] = LOST_IN_SLACK.exec(words) ?? [];
  return names === undefined ? 0 : countOf(names);
}

import type { Json, SlackMessage } from './slack-state.ts';

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

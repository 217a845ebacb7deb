import type { Json, SlackMessage } from './slack-state.ts';

/**
 * What people read of a message: the words of its blocks, with people as `<@id>`. Its text is for
 * notifications, and may be shortened; it is read where no block has words.
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

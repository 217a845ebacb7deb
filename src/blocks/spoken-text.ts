import type { types } from '@slack/bolt';
import type { Block } from './layout.ts';
import { beginning, escapeMrkdwn } from './text.ts';

/** Slack advises at most 4,000 characters. */
const MAX_LENGTH = 3_900;

/**
 * Returns the words of blocks, without their buttons and menus, as escaped mrkdwn for the `text` of
 * a message: screen readers read that in place of the blocks
 * (https://docs.slack.dev/messaging/#accessibility), and so do notifications.
 */
export function spokenText(blocks: readonly Block[]): string {
  const text = blocks.map(wordsOf).filter(Boolean).join('\n');
  if (text.length <= MAX_LENGTH) return text;
  // No escape and no mention is cut in two.
  return `${beginning(text, MAX_LENGTH - 1).replace(/(&\w*|<[^>]*)$/, '')}…`;
}

function wordsOf(block: Block): string {
  switch (block.type) {
    case 'header':
      return wordsIn(block.text);
    case 'section':
      return block.text ? wordsIn(block.text) : '';
    case 'context':
      return block.elements.flatMap((one) => ('text' in one ? wordsIn(one) : [])).join(' ');
    case 'rich_text':
      return block.elements
        .flatMap((one) => (one.type === 'rich_text_section' ? one.elements.map(pieceOf) : []))
        .join('');
    default:
      return '';
  }
}

// Of a link, only what it leads to is said.
function wordsIn({ type, text }: types.TextObject): string {
  return type === 'mrkdwn' ? text.replace(/<http[^|>]*\|([^>]*)>/g, '$1') : escapeMrkdwn(text);
}

function pieceOf(piece: types.RichTextElement): string {
  if (piece.type === 'user') return `<@${piece.user_id}>`;
  if (piece.type === 'channel') return `<#${piece.channel_id}>`;
  if (piece.type === 'date') return escapeMrkdwn(piece.fallback ?? '');
  return 'text' in piece ? escapeMrkdwn(piece.text ?? '') : '';
}

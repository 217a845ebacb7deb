import { isJson, type Json, objectOf, objectsOf, stringOf } from '../slack-shapes.ts';

/** The most blocks of a message, and of a view. */
const MOST = { message: 50, view: 100 };
/** The most characters of a text, by the type of the block or element that it belongs to. */
const MOST_TEXT: Record<string, number> = { section: 3000, header: 150, button: 75 };
/** The most elements of a block, by its type. */
const MOST_ELEMENTS: Record<string, number> = { actions: 25, context: 10 };
const MOST_VALUE = 2000;

/**
 * Returns Slack's error code for content with more than it takes; undefined if it is fine. Checks
 * only the limits that grow with what the app shows (https://docs.slack.dev/reference/block-kit).
 */
export function refusedContent(args: Json): string | undefined {
  const view = objectOf(args, 'view');
  const blocks = objectsOf(view ?? args, 'blocks') ?? [];
  const isTooMuch = blocks.length > (view ? MOST.view : MOST.message) || blocks.some(isTooLarge);
  if (!isTooMuch) return undefined;
  return view ? 'invalid_arguments' : 'invalid_blocks';
}

function isTooLarge(part: Json): boolean {
  const type = stringOf(part, 'type');
  const elements = objectsOf(part, 'elements') ?? [];
  return (
    stringOf(objectOf(part, 'text') ?? {}, 'text').length > (MOST_TEXT[type] ?? Infinity) ||
    elements.length > (MOST_ELEMENTS[type] ?? Infinity) ||
    (type === 'button' && stringOf(part, 'value').length > MOST_VALUE) ||
    [...elements, part['accessory']].filter(isJson).some(isTooLarge)
  );
}

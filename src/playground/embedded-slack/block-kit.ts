import { isJson, type Json, objectOf, objectsOf, stringOf } from './slack-types.ts';

/* What Slack does with an app's blocks: limits, identifiers, the elements and their values. */

/** The most blocks of a message, and of a view. */
const MAX_BLOCKS = { message: 50, view: 100 };
/** The most characters of a text, by the type of the block or element that it belongs to. */
const MAX_TEXT: Record<string, number> = { section: 3000, header: 150, button: 75 };
/** The most elements of a block, by its type. */
const MAX_ELEMENTS: Record<string, number> = { actions: 25, context: 10 };
const MAX_VALUE = 2000;

/**
 * Returns Slack's error code for content with more than it takes; undefined if it is fine. Checks
 * only the limits that grow with what the app shows (https://docs.slack.dev/reference/block-kit).
 */
export function contentError(args: Json): string | undefined {
  const view = objectOf(args, 'view');
  const blocks = objectsOf(view ?? args, 'blocks') ?? [];
  const most = view ? MAX_BLOCKS.view : MAX_BLOCKS.message;
  if (blocks.length <= most && !blocks.some(isTooLarge)) return undefined;
  return view ? 'invalid_arguments' : 'invalid_blocks';
}

function isTooLarge(part: Json): boolean {
  const type = stringOf(part, 'type');
  const elements = objectsOf(part, 'elements') ?? [];
  return (
    stringOf(objectOf(part, 'text') ?? {}, 'text').length > (MAX_TEXT[type] ?? Infinity) ||
    elements.length > (MAX_ELEMENTS[type] ?? Infinity) ||
    (type === 'button' && stringOf(part, 'value').length > MAX_VALUE) ||
    [...elements, part['accessory']].filter(isJson).some(isTooLarge)
  );
}

const INTERACTIVE = /button|select|overflow|picker|input|checkboxes|radio/;

/** Returns the blocks with the identifiers that Slack generates where the app set none. */
export function withIdentifiers(blocks: Json[]): Json[] {
  return blocks.map((block, index) => {
    const identified = (element: unknown, place = 0) =>
      isJson(element) && INTERACTIVE.test(stringOf(element, 'type'))
        ? { ...element, action_id: element['action_id'] ?? `a${index}.${place}` }
        : element;
    const { elements, accessory, element } = block;
    return {
      ...block,
      ...(Array.isArray(elements) ? { elements: elements.map(identified) } : {}),
      ...(accessory ? { accessory: identified(accessory) } : {}),
      ...(element ? { element: identified(element) } : {}),
      block_id: block['block_id'] ?? `b${index}`,
    };
  });
}

/** An element of a block that a user can press, choose from or type into. */
interface BlockElement {
  blockId: string;
  element: Json;
}

/** Returns the interactive elements of the blocks, in order. */
export function elementsOf(blocks: Json[]): BlockElement[] {
  return blocks.flatMap((block) => {
    const elements = Array.isArray(block['elements']) ? block['elements'] : [];
    return [...elements, block['accessory'], block['element']]
      .filter(isJson)
      .filter((element) => 'action_id' in element)
      .map((element) => ({ blockId: stringOf(block, 'block_id'), element }));
  });
}

/** Identifies an element even if its message was updated after the user saw it. */
export interface ElementQuery {
  actionId: string;
  /** The block, if an action occurs in several. */
  blockId?: string;
  /** The button's value; a button with another value is a different element. */
  value?: string;
}

/** What a user acts on, or the message or form around it, does not exist, or no longer. */
export class ElementGone extends Error {
  override name = 'ElementGone';
}

/** Returns the element; outside its block only if `value` matches. Throws `ElementGone`. */
export function findElement(
  blocks: Json[],
  { actionId, blockId, value }: ElementQuery,
): BlockElement {
  const all = elementsOf(blocks);
  const candidates = all.filter(
    ({ element }) =>
      element['action_id'] === actionId && (value === undefined || element['value'] === value),
  );
  const inBlock = candidates.find((one) => blockId === undefined || one.blockId === blockId);
  const found = inBlock ?? (value === undefined ? undefined : candidates[0]);
  if (found) return found;
  const there = all.map(({ element }) => stringOf(element, 'action_id')).join(', ');
  const which = [actionId, blockId ?? '', value ?? ''].join(' ').trim();
  throw new ElementGone(`What is sought is not there: ${which}; there is: ${there || 'nothing'}`);
}

/** What a user chose or typed: an option's value, a whole option, several of them, or text. */
export type Choice = string | Json | readonly (string | Json)[];

// Of the elements that Pigeonhole uses; all others have a text or a value.
const VALUE_KEYS: Record<string, string> = {
  static_select: 'selected_option',
  external_select: 'selected_option',
  radio_buttons: 'selected_option',
  checkboxes: 'selected_options',
  overflow: 'selected_option',
  conversations_select: 'selected_conversation',
};
/** Elements that keep no value, and so have no part in a state. */
const STATELESS = ['button', 'overflow'];

/** Returns the payload fields that hold the choice or, without one, the initial value. */
export function elementValue(element: Json, choice?: Choice): Json {
  const type = stringOf(element, 'type');
  const key = VALUE_KEYS[type] ?? 'value';
  if (choice === undefined) {
    const initial = element[key.replace('selected', 'initial').replace(/^value$/, 'initial_value')];
    return { type, [key]: initial ?? (key.endsWith('s') ? [] : null) };
  }
  if (!key.includes('option')) return { type, [key]: choice };
  const options = [choice].flat().map((one) => optionOf(element, one));
  return { type, [key]: key === 'selected_option' ? options[0] : options };
}

/** Returns `state.values` of a message or view with these choices, keyed by `action_id`. */
export function stateValues(blocks: Json[], choices: Record<string, Choice>): Json {
  const values: Record<string, Json> = {};
  for (const { blockId, element } of elementsOf(blocks)) {
    const type = stringOf(element, 'type');
    if (STATELESS.includes(type)) continue;
    const action = stringOf(element, 'action_id');
    values[blockId] = { ...values[blockId], [action]: elementValue(element, choices[action]) };
  }
  return values;
}

// An external select's options are not in the block, so one is built from the value.
function optionOf(element: Json, choice: string | Json): Json {
  if (isJson(choice)) return choice;
  const options = objectsOf(element, 'options') ?? [];
  const found = options.find((option) => option['value'] === choice);
  if (found) return found;
  if (options.length === 0) return { text: { type: 'plain_text', text: choice }, value: choice };
  const there = options.map((option) => stringOf(option, 'value')).join(', ');
  throw new Error(`There is no option ${choice}; there is: ${there}`);
}

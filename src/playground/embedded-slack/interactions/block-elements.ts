import { isJson, type Json, stringOf } from '../slack-shapes.ts';

/** An element of a block that a person can press, choose from or type into. */
interface BlockElement {
  blockId: string;
  blockType: string;
  element: Json;
}

/** Returns the blocks with the identifiers that Slack generates where the app set none. */
export function withIdentifiers(blocks: Json[]): Json[] {
  return blocks.map((block, index) => ({
    ...mapElements(block, (element, place) => ({
      ...element,
      action_id: element['action_id'] ?? `a${index}.${place}`,
    })),
    block_id: block['block_id'] ?? `b${index}`,
  }));
}

/** Returns the interactive elements of the blocks, in order. */
export function elementsOf(blocks: Json[]): BlockElement[] {
  return blocks.flatMap((block) => {
    const blockId = stringOf(block, 'block_id');
    const blockType = stringOf(block, 'type');
    const list = Array.isArray(block['elements']) ? block['elements'] : [];
    return [...list, block['accessory'], block['element']]
      .filter(isJson)
      .filter((element) => 'action_id' in element)
      .map((element) => ({ blockId, blockType, element }));
  });
}

/** Identifies an element even if its message was updated after the person saw it. */
export interface SoughtElement {
  actionId: string;
  /** The block, if an action occurs in several. */
  blockId?: string;
  /** The button's value; a button with another value is a different element. */
  value?: string;
}

/** What a person acts on, or the message or form around it, does not exist, or no longer. */
export class ElementGone extends Error {
  override name = 'ElementGone';
}

/** Returns the element; outside its block only if `value` matches. Throws `ElementGone`. */
export function findElement(
  blocks: Json[],
  { actionId, blockId, value }: SoughtElement,
): BlockElement {
  const all = elementsOf(blocks);
  const alike = all.filter(
    ({ element }) =>
      element['action_id'] === actionId && (value === undefined || element['value'] === value),
  );
  const inBlock = alike.find((one) => blockId === undefined || one.blockId === blockId);
  const found = inBlock ?? (value === undefined ? undefined : alike[0]);
  if (found) return found;
  const there = all.map(({ element }) => stringOf(element, 'action_id')).join(', ');
  const which = [actionId, blockId ?? '', value ?? ''].join(' ').trim();
  throw new ElementGone(`What is sought is not there: ${which}; there is: ${there || 'nothing'}`);
}

const INTERACTIVE = /button|select|overflow|picker|input|checkboxes|radio/;

function mapElements(block: Json, change: (element: Json, place: number) => Json): Json {
  const isOne = (value: unknown): value is Json =>
    isJson(value) && INTERACTIVE.test(stringOf(value, 'type'));
  const mapped: Json = { ...block };
  if (Array.isArray(block['elements'])) {
    mapped['elements'] = block['elements'].map((one, n) => (isOne(one) ? change(one, n) : one));
  }
  if (isOne(block['accessory'])) mapped['accessory'] = change(block['accessory'], 0);
  if (isOne(block['element'])) mapped['element'] = change(block['element'], 0);
  return mapped;
}

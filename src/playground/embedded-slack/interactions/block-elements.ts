import { isJson, type Json, stringOf } from '../slack-shapes.ts';

/** A thing in a block that a person can press, pick in or write into. */
export interface BlockElement {
  blockId: string;
  blockType: string;
  element: Json;
}

/** Gives blocks and their elements the identifiers that Slack invents where the app set none. */
export function withIdentifiers(blocks: Json[]): Json[] {
  return blocks.map((block, index) => ({
    ...mapElements(block, (element, place) => ({
      ...element,
      action_id: element['action_id'] ?? `a${index}.${place}`,
    })),
    block_id: block['block_id'] ?? `b${index}`,
  }));
}

/** Everything interactive in the blocks, in their order. */
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

/** Which element somebody means: what they saw may have been drawn anew since. */
export interface SoughtElement {
  actionId: string;
  /** Which block, when an action occurs in several. */
  blockId?: string;
  /** What its button carries: one that carries something else is another. */
  value?: string;
}

/** There is no such element, or no more. */
export class ElementGone extends Error {
  override name = 'ElementGone';
}

/** Finds an element, in its block where that is there yet. Throws ElementGone. */
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

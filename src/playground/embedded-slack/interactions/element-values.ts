import { isJson, type Json, objectsOf, stringOf } from '../slack-shapes.ts';
import { elementsOf } from './block-elements.ts';

/** What a person chose or typed: an option's value, a whole option, several of them, or text. */
export type Choice = string | Json | readonly (string | Json)[];

const CHOICE_KEYS: Record<string, string> = {
  static_select: 'selected_option',
  external_select: 'selected_option',
  overflow: 'selected_option',
  radio_buttons: 'selected_option',
  multi_static_select: 'selected_options',
  multi_external_select: 'selected_options',
  checkboxes: 'selected_options',
  users_select: 'selected_user',
  conversations_select: 'selected_conversation',
  channels_select: 'selected_channel',
  multi_users_select: 'selected_users',
  multi_conversations_select: 'selected_conversations',
  multi_channels_select: 'selected_channels',
  datepicker: 'selected_date',
  timepicker: 'selected_time',
};

/** Returns the payload fields that hold the choice or, without one, the initial value. */
export function choiceIn(element: Json, choice?: Choice): Json {
  const type = stringOf(element, 'type');
  const key = CHOICE_KEYS[type] ?? 'value';
  if (choice === undefined) {
    const initial = element[key.replace('selected', 'initial').replace(/^value$/, 'initial_value')];
    return { type, [key]: initial ?? (key.endsWith('s') ? [] : null) };
  }
  if (key === 'selected_option') return { type, [key]: optionOf(element, single(choice)) };
  if (key !== 'selected_options') return { type, [key]: choice };
  const many = Array.isArray(choice) ? choice : [choice];
  return { type, [key]: many.map((one) => optionOf(element, one)) };
}

/** Returns `state.values` of a message or view with these choices, keyed by `action_id`. */
export function stateValues(blocks: Json[], choices: Record<string, Choice>): Json {
  const values: Record<string, Json> = {};
  for (const { blockId, element } of elementsOf(blocks)) {
    const type = stringOf(element, 'type');
    if (type === 'button' || type === 'overflow') continue;
    const action = stringOf(element, 'action_id');
    values[blockId] = { ...values[blockId], [action]: choiceIn(element, choices[action]) };
  }
  return values;
}

function single(choice: Choice): string | Json {
  if (typeof choice === 'string') return choice;
  const [first] = Array.isArray(choice) ? choice : [choice];
  return first ?? '';
}

// An external select's options are not in the block, so one is built from the value.
function optionOf(element: Json, choice: string | Json): Json {
  if (isJson(choice)) return choice;
  const groups = objectsOf(element, 'option_groups') ?? [];
  const options = [element, ...groups].flatMap((from) => objectsOf(from, 'options') ?? []);
  const found = options.find((option) => option['value'] === choice);
  if (found) return found;
  if (options.length === 0) return { text: { type: 'plain_text', text: choice }, value: choice };
  const there = options.map((option) => stringOf(option, 'value')).join(', ');
  throw new Error(`There is no option ${choice}; there is: ${there}`);
}

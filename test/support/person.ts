import type { types } from '@slack/bolt';
import type {
  EmbeddedSlack,
  Ephemeral,
  InteractionResult,
} from '../../src/playground/embedded-slack/index.ts';
import { spokenText } from '../../src/surfaces/kit/layout.ts';
import { shownView } from './shown-view.ts';

/** What a person can do in a channel, and the ephemeral responses that only they see. */
export interface Person {
  /** Types a slash command and waits for its complete private response. */
  types(command: string, channel?: string): Promise<Ephemeral>;
  /**
   * Presses the first button with this label, or the one beside `entry`; waits for the response.
   */
  presses(seen: Ephemeral, label: string | RegExp, entry?: string): Promise<Ephemeral>;
  /** Chooses the option with this label in a menu; waits for the response. */
  chooses(seen: Ephemeral, label: string): Promise<Ephemeral>;
  /** Chooses Delete in the menu of a file of a list, by default the first; waits for the question. */
  asksToDelete(list: Ephemeral, file?: string): Promise<Ephemeral>;
  /** Does so, and agrees when asked. */
  deletes(list: Ephemeral, file?: string): Promise<Ephemeral>;
}

export function person(slack: EmbeddedSlack, user: string): Person {
  const answered = async (result: InteractionResult) =>
    slack.until(() => {
      const last = result.ephemerals.at(-1);
      return last && !isToBeCompleted(last) ? last : undefined;
    });
  const chooses = async (ephemeral: Ephemeral, label: string | RegExp) => {
    const { choice, ...place } = placeOfOption(ephemeral, label);
    return answered(await slack.press({ ephemeral, user, ...place, choice }));
  };
  const presses: Person['presses'] = async (ephemeral, label, entry) => {
    const place = placeOfButton(ephemeral, label, entry);
    return answered(await slack.press({ ephemeral, user, ...place }));
  };
  const asksToDelete: Person['asksToDelete'] = (list, file) =>
    chooses(list, file === undefined ? /^Delete .*…$/ : `Delete ${file}…`);
  return {
    chooses,
    presses,
    asksToDelete,
    deletes: async (list, file) => {
      const asked = await asksToDelete(list, file);
      return screen(asked).includes('[Delete file') ? presses(asked, 'Delete file') : asked;
    },
    types: async (line, channel = 'general') => {
      const [command = '', ...words] = line.split(' ');
      return answered(await slack.command({ command, text: words.join(' '), user, channel }));
    },
  };
}

const TAKES_A_MOMENT = 'This takes a moment. The answer comes in a new message.';

/** Whether more is to come: the response itself, or the rest of a list that is still being read. */
function isToBeCompleted(message: Ephemeral): boolean {
  const shown = screen(message);
  return /the rest…|Reading them now…/.test(shown) || shown.includes(TAKES_A_MOMENT);
}

/** Returns the responses so far, without the one on a slow machine that it takes a moment. */
export function answersIn({ ephemerals }: InteractionResult): Ephemeral[] {
  return ephemerals.filter((one) => !screen(one).includes(TAKES_A_MOMENT));
}

/** Returns an ephemeral message as its reader sees it: see `shownView`. */
export function screen({ text, blocks }: { text?: unknown; blocks?: unknown }): string {
  return shownView({ text: String(text), blocks: (blocks ?? []) as types.KnownBlock[] });
}

interface ButtonPlace {
  actionId: string;
  blockId: string;
}

/** Asks where the files of a message are; resolves with what the modal shows. */
export async function asksWhere(
  slack: EmbeddedSlack,
  user: string,
  { channel, ts }: { channel: string; ts: string },
): Promise<string> {
  const open = () => slack.views(user).at(-1);
  const before = open()?.id;
  await slack.shortcut({ callbackId: 'where_filed', user, message: { channel, ts } });
  const view: { blocks?: unknown } = await slack.until(() =>
    open()?.id === before ? undefined : open(),
  );
  return screen({ text: spokenText(view.blocks as types.KnownBlock[]), ...view });
}

/** Unlinks a channel: answers the question that `/files unlink` asks. */
export async function unlink(slack: EmbeddedSlack, user: string, channel: string): Promise<void> {
  const asked = await person(slack, user).types('/files unlink', channel);
  const place = placeOfButton(asked, /^Unlink this/);
  await slack.press({ ephemeral: asked, user, ...place });
}

/** Returns where a button with this label is; with `entry`, in the block that has this text. */
export function placeOfButton(
  message: { blocks?: unknown },
  label: string | RegExp,
  entry?: string,
): ButtonPlace {
  const isIt = (text: string) => (typeof label === 'string' ? text === label : label.test(text));
  for (const block of (message.blocks ?? []) as types.KnownBlock[]) {
    if (entry !== undefined && !JSON.stringify(block).includes(JSON.stringify(entry).slice(1, -1)))
      continue;
    const button = buttonsIn(block).find(({ text }) => isIt(text.text));
    if (button?.action_id && block.block_id)
      return { actionId: button.action_id, blockId: block.block_id };
  }
  throw new Error(
    `There is no button ${label} ${entry ?? ''} in ${screen({ text: '', ...message })}`,
  );
}

/** Returns where an option with this label is, and what it sends. */
export function placeOfOption(message: { blocks?: unknown }, label: string | RegExp) {
  for (const block of (message.blocks ?? []) as types.KnownBlock[]) {
    for (const { action_id: actionId, options } of menusIn(block)) {
      const isMeant = (text: string) =>
        typeof label === 'string' ? text === label : label.test(text);
      const option = options?.find(({ text }) => isMeant(text.text));
      if (option?.value && actionId && block.block_id)
        return { actionId, blockId: block.block_id, choice: option.value };
    }
  }
  throw new Error(`There is no option ${label} in ${screen({ text: '', ...message })}`);
}

function menusIn(block: types.KnownBlock) {
  if (block.type === 'actions')
    return block.elements.filter((element) => element.type === 'static_select');
  const { accessory } = block.type === 'section' ? block : {};
  return accessory?.type === 'overflow' ? [accessory] : [];
}

function buttonsIn(block: types.KnownBlock): types.Button[] {
  const elements =
    block.type === 'actions' ? block.elements : 'accessory' in block ? [block.accessory] : [];
  return elements.filter((element): element is types.Button => element?.type === 'button');
}

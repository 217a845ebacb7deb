import type { types } from '@slack/bolt';
import type {
  EmbeddedSlack,
  Ephemeral,
  InteractionResult,
} from '../../src/playground/embedded-slack/index.ts';
import { shownView } from './shown-view.ts';

/** What a person can do in a channel, and the ephemeral responses that only they see. */
export interface Person {
  /** Types a slash command and waits for its complete private response. */
  types(command: string, channel?: string): Promise<Ephemeral>;
  /**
   * Presses the first button with this label, or the one beside `entry`; waits for the response.
   */
  presses(seen: Ephemeral, label: string, entry?: string): Promise<Ephemeral>;
  /** Chooses the option with this label in a menu; waits for the response. */
  chooses(seen: Ephemeral, label: string): Promise<Ephemeral>;
}

export function person(slack: EmbeddedSlack, user: string): Person {
  const answered = async (result: InteractionResult) =>
    slack.until(() => {
      const last = result.ephemerals.at(-1);
      return last && !isToBeCompleted(last) ? last : undefined;
    });
  return {
    types: async (line, channel = 'general') => {
      const [command = '', ...words] = line.split(' ');
      return answered(await slack.command({ command, text: words.join(' '), user, channel }));
    },
    presses: async (ephemeral, label, entry) => {
      const place = placeOfButton(ephemeral, label, entry);
      return answered(await slack.press({ ephemeral, user, ...place }));
    },
    chooses: async (ephemeral, label) => {
      const { choice, ...place } = placeOfOption(ephemeral, label);
      return answered(await slack.press({ ephemeral, user, ...place, choice }));
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

/** Returns where a button with this label is; with `entry`, in the block that has this text. */
export function placeOfButton(
  message: { blocks?: unknown },
  label: string,
  entry?: string,
): ButtonPlace {
  for (const block of (message.blocks ?? []) as types.KnownBlock[]) {
    if (entry !== undefined && !JSON.stringify(block).includes(JSON.stringify(entry).slice(1, -1)))
      continue;
    const button = buttonsIn(block).find(({ text }) => text.text === label);
    if (button?.action_id && block.block_id)
      return { actionId: button.action_id, blockId: block.block_id };
  }
  throw new Error(
    `There is no button ${label} ${entry ?? ''} in ${screen({ text: '', ...message })}`,
  );
}

function placeOfOption(message: { blocks?: unknown }, label: string) {
  for (const block of (message.blocks ?? []) as types.KnownBlock[]) {
    for (const element of block.type === 'actions' ? block.elements : []) {
      if (element.type !== 'static_select') continue;
      const option = element.options?.find(({ text }) => text.text === label);
      const { action_id: actionId } = element;
      if (option?.value && actionId && block.block_id)
        return { actionId, blockId: block.block_id, choice: option.value };
    }
  }
  throw new Error(`There is no option ${label} in ${screen({ text: '', ...message })}`);
}

function buttonsIn(block: types.KnownBlock): types.Button[] {
  const elements =
    block.type === 'actions' ? block.elements : 'accessory' in block ? [block.accessory] : [];
  return elements.filter((element): element is types.Button => element?.type === 'button');
}

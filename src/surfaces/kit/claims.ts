import { z } from 'zod';

/**
 * A button or a menu, and the claim that its value carries. The value comes back from outside:
 * `read` returns null for one that no view writes, and the listener checks the claim against the
 * ledger.
 */
export interface Action<T> extends Claim<T> {
  /** Its `action_id`. */
  id: string;
}

/** What a value carries. */
interface Claim<T> {
  write(claim: T): string;
  read(value: unknown): T | null;
}

/** What a claim says. */
export type ClaimOf<A> = A extends Claim<infer T> ? T : never;

/** The longest text that a button carries, in UTF-16 units: no file's name is longer. */
export const MAX_FILTER_LENGTH = 255;

// Short keys leave room for text: Slack limits a `block_id` to 255 characters.
const SHORT_NAMES: Readonly<Record<string, string>> = {
  ...{ projectId: 'p', folderId: 'f', fileId: 'id', channel: 'c', shareId: 'share', askedAt: 'at' },
  ...{
    name: 'n',
    size: 's',
    filter: 'q',
    words: 'q',
    kind: 'k',
    linksPage: 'links',
    reportId: 'report',
  },
};

/** Creates a claim with these fields. */
export function claimWith<S extends z.ZodRawShape>(shape: S): Claim<z.output<z.ZodObject<S>>> {
  const schema = z.object(shape);
  const names = Object.keys(shape).map((name) => [name, SHORT_NAMES[name] ?? name] as const);
  return {
    write: (claim) => {
      const given = new Map<string, unknown>(Object.entries(claim));
      return JSON.stringify(
        Object.fromEntries(names.map(([name, short]) => [short, cutText(given.get(name))])),
      );
    },
    read: (value) => {
      const sent = parseObject(value);
      const given = Object.fromEntries(names.map(([name, short]) => [name, sent?.[short]]));
      return schema.safeParse(given).data ?? null;
    },
  };
}

function cutText(value: unknown): unknown {
  return typeof value === 'string' ? value.slice(0, MAX_FILTER_LENGTH) : value;
}

/** The fields that several claims have. Pages count from 1. */
export const CLAIMED = {
  id: z.number().int().positive(),
  text: z.string().max(MAX_FILTER_LENGTH),
  channel: z.string().max(40),
};

/** A folder, as the fields of a claim. */
export const CLAIMED_FOLDER = { projectId: CLAIMED.id, folderId: CLAIMED.id };

/** A folder, and the channel whose files are meant; absent: the one where it is pressed. */
export const folderHere = claimWith({ ...CLAIMED_FOLDER, channel: CLAIMED.channel.optional() });

export type FolderClaim = ClaimOf<typeof folderHere>;

/** The buttons to the previous and to the next page of a list. */
export function through<T>(list: string, claim: Claim<T>) {
  return { previous: { id: `${list}_prev`, ...claim }, next: { id: `${list}_next`, ...claim } };
}

/** The claim of a menu's choice: its block's value with the option's changes; null if malformed. */
export function chosenValue(blockId: string, option: string): string | null {
  const [claim, changes] = [parseObject(blockId), parseObject(option)];
  return claim && changes && JSON.stringify({ ...claim, ...changes });
}

/** The claim of a channel picker's choice: its block's value with that channel; null if malformed. */
export function chosenChannel(blockId: string, channel: string): string | null {
  return chosenValue(blockId, JSON.stringify({ [SHORT_NAMES['channel'] ?? '']: channel }));
}

/** Returns the object that a text from outside holds as JSON, still unchecked; null if malformed. */
export function parseObject(text: unknown): Readonly<Record<string, unknown>> | null {
  try {
    return JSON.parse(String(text));
  } catch {
    return null;
  }
}

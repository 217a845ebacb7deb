import { may, type Permission, ROLES, type Role } from '../../src/core/index.ts';

/** The place where somebody asks, and what `/files` shows there to people who may list at all. */
export const PLACES = {
  linked: { words: 'a linked channel', shows: 'the whole folder' },
  default: { words: 'a channel on the default folder', shows: 'what was shared there' },
  private: { words: 'a private channel on it', shows: 'what was shared there' },
  direct: { words: 'a direct message with Pigeonhole', shows: 'what was shared there' },
  unlinked: { words: 'a channel without a folder', shows: 'no' },
} as const;

export type Place = keyof typeof PLACES;
export type Outcome = 'yes' | (typeof PLACES)[Place]['shows'] | 'no';

interface Operation {
  /** The operation in the words of the table. */
  words: string;
  permission: Permission;
  /** Whether the operation is done to something that the same or another person shared or started. */
  whose?: 'own' | 'other';
  /** Whether the response is a list of files. */
  lists?: true;
  /** The places that have the object of the operation; absent: all. */
  only?: readonly Place[];
}

const WITH_FOLDER = ['linked', 'default', 'private', 'direct'] as const;
const LINKED = ['linked'] as const;

/** Everything that Pigeonhole's commands, shortcuts and buttons do. */
export const OPERATIONS = {
  help: { words: 'read the help', permission: 'see-channel' },
  list: { words: 'list files', permission: 'see-channel', lists: true },
  find: { words: 'find files by name', permission: 'see-channel', lists: true },
  page: { words: 'turn pages', permission: 'see-channel', lists: true },
  where: { words: 'ask where a message’s files are', permission: 'see-channel' },
  share: { words: 'share a file of the list', permission: 'see-channel', only: WITH_FOLDER },
  shareElsewhere: {
    words: 'share a file that came from elsewhere into the same folder',
    permission: 'see-channel',
    only: LINKED,
  },
  deleteOwn: {
    words: 'delete a file that they shared there',
    permission: 'delete-file',
    whose: 'own',
    only: WITH_FOLDER,
  },
  deleteOther: {
    words: 'delete a file that somebody else shared there',
    permission: 'delete-file',
    whose: 'other',
    only: WITH_FOLDER,
  },
  deleteOwnElsewhere: {
    words: 'delete a file that they shared elsewhere into the same folder',
    permission: 'delete-file',
    whose: 'own',
    only: LINKED,
  },
  deleteOtherElsewhere: {
    words: 'delete a file that somebody else shared elsewhere into the same folder',
    permission: 'delete-file',
    whose: 'other',
    only: LINKED,
  },
  deleteCopiesOwn: {
    words:
      'delete what is filed of a message of theirs that was deleted in Slack, unless another saved it',
    permission: 'delete-file',
    whose: 'own',
  },
  deleteCopiesOther: {
    words: 'delete the same of somebody else’s message',
    permission: 'delete-file',
    whose: 'other',
  },
  deleteCopiesElsewhere: {
    words: 'delete what is filed of a message of another channel that was deleted in Slack',
    permission: 'delete-file',
    whose: 'own',
    only: [],
  },
  putBackOwn: {
    words: 'put back a deleted file that they shared there',
    permission: 'delete-file',
    whose: 'own',
  },
  putBackOther: {
    words: 'put back a deleted file that somebody else shared there',
    permission: 'delete-file',
    whose: 'other',
  },
  retryOwn: { words: 'retry what they shared', permission: 'retry-share', whose: 'own' },
  retryOther: {
    words: 'retry what somebody else shared',
    permission: 'retry-share',
    whose: 'other',
  },
  browse: { words: 'look through projects and folders', permission: 'browse-folders' },
  linkTyped: { words: 'link the channel by a command', permission: 'link-channel' },
  linkPressed: { words: 'link the channel by a button', permission: 'link-channel' },
  linkChosen: {
    words: 'open the form of a channel chosen in the App Home',
    permission: 'link-channel',
  },
  linkInForm: { words: 'link the channel by a form', permission: 'link-channel' },
  saveInForm: {
    words: 'save a message’s files to a folder by a form',
    permission: 'link-channel',
  },
  unlink: { words: 'unlink the channel', permission: 'link-channel', only: LINKED },
  announce: {
    words: 'have the channel told what others add to its folder',
    permission: 'link-channel',
    only: LINKED,
  },
  fileParked: {
    words: 'file what was held back',
    permission: 'link-channel',
    only: WITH_FOLDER,
  },
  fileShare: {
    words: 'file what was left in Slack of a message',
    permission: 'link-channel',
    only: WITH_FOLDER,
  },
  fileEarlier: {
    words: 'file what was shared before the link',
    permission: 'link-channel',
    only: WITH_FOLDER,
  },
  decline: {
    words: 'decline to file what was held back or shared before',
    permission: 'link-channel',
  },
  moveWaiting: {
    words: 'file in the channel’s folder what waits for its previous folder',
    permission: 'link-channel',
    only: WITH_FOLDER,
  },
  settleWaiting: {
    words: 'file it in the previous folder, or leave it in Slack',
    permission: 'link-channel',
  },
  stopOwn: {
    words: 'stop the filing of earlier files that they started',
    permission: 'stop-filing',
    whose: 'own',
  },
  stopOther: {
    words: 'stop the filing of earlier files that somebody else started',
    permission: 'stop-filing',
    whose: 'other',
  },
  status: { words: 'see what needs attention there', permission: 'see-channel' },
  retryAll: {
    words: 'retry all that needs attention there',
    permission: 'retry-share',
    whose: 'other',
  },
  leaveOwn: {
    words: 'leave in Slack what they shared and is stuck',
    permission: 'leave-in-slack',
    whose: 'own',
  },
  leaveOther: {
    words: 'leave in Slack what somebody else shared and is stuck',
    permission: 'leave-in-slack',
    whose: 'other',
  },
} satisfies Record<string, Operation>;

export type OperationName = keyof typeof OPERATIONS;

export interface Cell {
  operation: OperationName;
  place: Place;
  role: Role;
}

const placeNames = Object.keys(PLACES) as Place[];
export const operationNames = Object.keys(OPERATIONS) as OperationName[];

/** Every operation by every role in every place. */
export const cells: Cell[] = operationNames.flatMap((operation) =>
  placeNames.flatMap((place) => ROLES.map((role) => ({ operation, place, role }))),
);

/** Returns the expected outcome of a cell. */
export function outcomeIn({ operation, place, role }: Cell): Outcome {
  const { permission, whose, lists, only }: Operation = OPERATIONS[operation];
  const actor = { userId: 'self', role };
  if (!may(actor, permission, whose === 'own' ? 'self' : 'other')) return 'no';
  if (lists) return PLACES[place].shows;
  return only === undefined || only.includes(place) ? 'yes' : 'no';
}

/**
 * Returns the table of docs/security.md, with one row for the places where everybody gets the same.
 */
export function rightsTable(): string {
  const head = ['what', 'where', ...ROLES];
  const rows = operationNames.flatMap(rowsOf);
  const lines = [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`);
  return lines.join('\n');
}

function rowsOf(operation: OperationName): string[][] {
  const outcomes = (place: Place) => ROLES.map((role) => outcomeIn({ operation, place, role }));
  const some = placeNames.filter((place) => outcomes(place).some((outcome) => outcome !== 'no'));
  const groups = Map.groupBy(some, (place) => outcomes(place).join(' | '));
  return [...groups].map(([shared, places], index) => [
    index === 0 ? OPERATIONS[operation].words : '',
    whereIn(places),
    shared,
  ]);
}

function whereIn(places: readonly Place[]): string {
  if (places.length === placeNames.length) return 'anywhere';
  if (WITH_FOLDER.every((place) => places.includes(place))) return 'anywhere with a folder';
  return places.map((place) => PLACES[place].words).join(', ');
}

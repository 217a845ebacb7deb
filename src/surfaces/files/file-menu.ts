import type { Destination, FolderRef } from '../../core/index.ts';
import { button, type Choice, choicesBeside, type View } from '../kit/layout.ts';
import { ask, type Line, line } from '../kit/prose.ts';
import {
  beginning,
  counted,
  isUserId,
  joined,
  shownMoment,
  shownName,
  webAddress,
} from '../kit/text.ts';
import { BACK_TO_FILES, FILE_MENU, FOUND_FILE_MENU } from './actions.ts';
import { type ListedFile, markOf } from './listed-file.ts';

/** A page of a list. */
interface PageOfList {
  /** From 1. */
  page: number;
  /** Only files with these words in their names; null: all. */
  filter: string | null;
}

/** So short that a choice of a menu takes it with its verb. */
const MAX_IN_MENU = 45;

/** The menu of a file in its folder's list; each choice says alone what it does to which file. */
export function fileMenu(file: ListedFile, list: Destination & PageOfList) {
  const name = shownName(file.name, { max: MAX_IN_MENU });
  return choicesBeside(FILE_MENU, menuClaim(file, list), [
    ...addresses(file),
    { label: `Share ${name} here`, changes: { do: 'share' } },
    { label: `Details of ${name}`, changes: { do: 'details' } },
    file.mayDelete ? { label: `Delete ${name}…`, changes: { do: 'delete' } } : null,
  ]);
}

/** The menu of a file found in a folder; `isHere`: it is the folder of the reader's channel. */
export function foundFileMenu(file: ListedFile, { isHere, ...folder }: FoundIn) {
  const name = shownName(file.name, { max: MAX_IN_MENU });
  const claim = menuClaim(file, { ...folder, page: 1, filter: null });
  return choicesBeside(FOUND_FILE_MENU, claim, [
    ...addresses(file),
    isHere ? { label: `Share ${name} here`, changes: { do: 'share' } } : null,
  ]);
}

type FoundIn = Destination & { isHere: boolean };

function addresses({ name: whole, url, messageUrl }: ListedFile): Choice[] {
  const name = shownName(whole, { max: MAX_IN_MENU });
  const places = [
    { label: `Open ${name}`, address: url },
    { label: `Message of ${name}`, address: messageUrl },
  ];
  return places.flatMap(({ label, address }, nth) => {
    const to = address === null ? null : webAddress(address);
    return to === null ? [] : [{ label, changes: { do: 'open', nth }, url: to }];
  });
}

const MAX_BLOCK_ID = 255;
const MAX_WORDS = 60;

// Words that are cut find no fewer files.
function menuClaim({ id, name }: ListedFile, list: Destination & PageOfList): string {
  const { projectId, folderId, page, filter: words } = list;
  const mark = markOf(name);
  const file = { projectId, folderId, fileId: id, mark, do: 'open' as const };
  const filter = words === null ? null : beginning(words, MAX_WORDS);
  const claim = FILE_MENU.write({ ...file, page, filter });
  return claim.length <= MAX_BLOCK_ID ? claim : FILE_MENU.write({ ...file, page: 1, filter: null });
}

interface FileDetailsInput {
  file: ListedFile;
  folder: FolderRef;
  /** The list that shows it. */
  list: PageOfList;
}

/** What is known of one file, with a way back to the list. */
export function fileDetails({ file, folder, list }: FileDetailsInput): View {
  const { name, url, sizeBytes, approvedCount, proofCount, messageUrl } = file;
  const facts = [
    sizeBytes === null ? null : counted(sizeBytes, 'byte'),
    approvedCount > 0 ? counted(approvedCount, 'approval') : null,
    proofCount > 0 ? counted(proofCount, 'proof') : null,
  ].filter((fact) => fact !== null);
  return ask(
    [
      line`${{ file: name, url }} in ${{ folder }}`,
      origin(file),
      facts.length === 0 ? null : [joined(facts)],
      messageUrl === null ? null : [{ file: `Message of ${name}`, url: messageUrl }],
    ],
    [button({ action: BACK_TO_FILES, label: 'Back to the files', claim: list })],
  );
}

function origin({ createdAt, sharedBy, creatorName }: ListedFile): Line | null {
  const at = createdAt === null ? '' : `, ${shownMoment(createdAt)}`;
  if (isUserId(sharedBy)) return line`Shared by ${{ person: sharedBy }}${at}`;
  if (creatorName !== null)
    return line`Added by ${shownName(creatorName, { unnamed: 'somebody' })}${at}`;
  return at === '' ? null : [`Added${at.slice(1)}`];
}

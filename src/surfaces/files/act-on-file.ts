import { type FolderRef, sameDestination } from '../../core/index.ts';
import { askToDelete } from '../delete/delete-file.ts';
import type { Handler, StagedView } from '../kit/answer.ts';
import type { FileMenuClaim } from './actions.ts';
import { fileDetails } from './file-menu.ts';
import { type ListedFile, markOf } from './listed-file.ts';
import { shareFile } from './share-file.ts';
import { NOT_HERE } from './share-words.ts';
import { describeFiles, recordsInView, showFiles } from './show-files.ts';

/** Does what is chosen of a file's menu in its folder's list; a refusal shows above the list. */
export const actOnFile: Handler<FileMenuClaim, StagedView | null> = async (
  asked,
  claim,
  context,
) => {
  if (claim.do === 'open') return null;
  if (claim.do === 'delete') return askToDelete(asked, claim, context);
  const { page, filter } = claim;
  const shown = await fileHere(asked, claim, context);
  if (shown && claim.do === 'details') return fileDetails({ ...shown, list: { page, filter } });
  const notice = shown ? await shareFile(asked, shown, context) : NOT_HERE;
  return notice && showFiles(asked, { page, filter, notice }, context);
};

/** The same in what was found in several folders, where a file of this channel can be shared. */
export const actOnFoundFile: Handler<FileMenuClaim> = async (asked, claim, context) => {
  if (claim.do !== 'share') return null;
  const shown = await fileHere(asked, claim, context);
  return shown ? shareFile(asked, shown, context) : NOT_HERE;
};

interface FileHere {
  file: ListedFile;
  folder: FolderRef;
}

// As the folder's last list has it: a claim can be forged, so the channel must see the file.
const fileHere: Handler<FileMenuClaim, FileHere | null> = async (asked, claim, context) => {
  const { ledger, names, findDestination } = context;
  const destination = await findDestination(asked);
  if (!destination || !sameDestination(destination, claim)) return null;
  const known = await ledger.findFolder(destination);
  const { fileId } = claim;
  const record = known && (await ledger.recordsNumbered(known.id, [fileId])).get(fileId);
  if (!record || !(await recordsInView(asked, destination, context))(record)) return null;
  const [file] = await describeFiles([record], { asked, destination }, context);
  // By now another file may have that number.
  if (file && markOf(file.name) !== claim.mark) return null;
  return file ? { file, folder: await names.nameFolder(destination) } : null;
};

/**
 * A transfer is one Slack file of one share on its way to one folder. Its states:
 *
 * - `parked`: recorded while its channel had no destination, or held back by a person. Nothing
 *   happens to it until somebody links the channel or asks for it, or deletes it in Slack.
 * - `recorded`: the ledger has it, nothing else is done. After a crash: download and upload anew.
 * - `uploaded`: the service holds the bytes as an attachment that no folder shows. After a crash:
 *   go on with the create; a lost answer to an upload costs one more upload, never a second record.
 * - `creating`: the intent to create was written before the request was sent, so the create may or
 *   may not have taken effect. After a crash, an error, or an answer that never came: list the folder, take
 *   the record that is there, and only when none is there go back to `uploaded`.
 *   Where nobody can look there any more, as the folder is gone or may not be used, it waits until the
 *   link of its channel is mended, and goes to another folder as a `recorded` one.
 * - `created`: the service answered that it created the file, and did not tell which record is its.
 *   Its people are told that it is filed; it is never created again. After a crash, too: look for
 *   the record for a while.
 * - `filed`: the file is in the folder, its record's size was checked; without a record where none
 *   could be told to be its. The end, until it is deleted.
 * - `refused`: it cannot be filed; its people are told why. A Retry returns it to the state that it
 *   was refused in, so that a `creating` one is reconciled first, or to `recorded` when its channel
 *   was linked anew and nobody can look into its first folder any more, or another transfer may have
 *   brought the file there meanwhile. Somebody may leave it in Slack instead, where it is surely not
 *   in the folder.
 * - `deleted`: the record was deleted through Pigeonhole. The end.
 */
export type TransferState =
  | 'parked'
  | 'recorded'
  | 'uploaded'
  | 'creating'
  | 'created'
  | 'filed'
  | 'refused'
  | 'deleted';

const LEGAL_STEPS: Record<TransferState, readonly TransferState[]> = {
  parked: ['recorded'],
  recorded: ['uploaded', 'refused', 'parked'],
  uploaded: ['creating', 'recorded', 'refused', 'parked'],
  // To itself: a create that was answered with an error and left nothing is announced and sent anew.
  creating: ['filed', 'created', 'uploaded', 'refused', 'creating'],
  created: ['filed'],
  filed: ['deleted'],
  refused: ['recorded', 'uploaded', 'creating', 'parked'],
  deleted: [],
};

/** Whether the service has said that it is in its folder. */
export function isInFolder({ state }: { state: TransferState }): boolean {
  return state === 'created' || state === 'filed';
}

/** Whether a transfer may go from one state to another. The ledger writes no other steps. */
export function isLegalStep(from: TransferState, to: TransferState): boolean {
  return LEGAL_STEPS[from].includes(to);
}

/** The states from which a step to `to` is legal: the WHERE of the ledger's writes. */
export function statesBefore(to: TransferState): TransferState[] {
  const states = Object.keys(LEGAL_STEPS) as TransferState[];
  return states.filter((from) => isLegalStep(from, to));
}

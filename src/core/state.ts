/**
 * A transfer is one Slack file of one share on its way to one folder. Its states:
 *
 * - `parked`: recorded without a folder, because its channel had none or a backfill is still
 *   reading; or left in Slack by a person. It waits until the backfill has read everything, a
 *   person asks for the file, or it is deleted in Slack. Linking the channel only brings an offer.
 * - `recorded`: in the ledger, and nothing else is done. After a crash: download and upload again. One
 *   that may have been filed before is first looked for in its folder, and filed as the record found
 *   there; an `uploaded` one, too. That is so after an absence, as the ledger may be an old copy, and of
 *   what history brought.
 * - `uploaded`: the service holds the bytes as an attachment that no folder shows. After a crash:
 *   send the create. An upload whose response is lost is repeated; that never adds a record.
 * - `creating`: the intent to create was written before the request was sent, so the create may or
 *   may not have taken effect. After a crash, an error response or no response: list the folder
 *   and take the record found there. Back to `uploaded` only if there is none, or if the request
 *   was certainly not sent. While the linked folder is gone or access to it is denied, it waits;
 *   a link to another folder moves it there as `recorded`, unless a person saved it by hand.
 * - `created`: the service's response says that the file was created, but not which record it is.
 *   People are notified that the file is filed, and it is never created again. The worker looks
 *   for the record for a while, also after a crash.
 * - `filed`: the file is in the folder, and its record's size is right if the service states one;
 *   without a record if none could be identified. Final, unless the record is deleted.
 * - `refused`: it cannot be filed, and people are notified why. A Retry returns it to the state in
 *   which it was refused, so that a `creating` one is reconciled first. Instead it starts over as
 *   `recorded` if the channel has a new folder and the file is certainly not in the first one, or
 *   nobody can list that one any more. A person may leave it in Slack: it is parked if it is certainly not
 *   in the folder; else it stays refused, and is listed as trouble no more.
 * - `deleted`: the record was deleted through Pigeonhole, or was already gone by then. It starts over as
 *   `recorded` when somebody puts the file back, within a day, or saves it to the folder again.
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

/**
 * The states from which a step to each state is legal. The ledger writes only legal steps, or two in
 * one statement.
 */
export const STATES_BEFORE: Record<TransferState, readonly TransferState[]> = {
  parked: ['recorded', 'uploaded', 'refused'],
  recorded: ['parked', 'uploaded', 'refused', 'deleted'],
  uploaded: ['recorded', 'creating', 'refused'],
  // From itself: an error response is recorded while the outcome stays open.
  creating: ['uploaded', 'creating', 'refused'],
  created: ['creating'],
  filed: ['recorded', 'uploaded', 'creating', 'created'],
  refused: ['recorded', 'uploaded', 'creating'],
  deleted: ['filed'],
};

/** Whether the service has confirmed that the file is in its folder. */
export function isInFolder({ state }: { state: TransferState }): boolean {
  return state === 'created' || state === 'filed';
}

/** Whether a transfer is on its way: neither settled nor parked. */
export function isOnItsWay({ state }: { state: TransferState }): boolean {
  return ['recorded', 'uploaded', 'creating', 'created'].includes(state);
}

/** How long a deleted file may be put back from Slack, in milliseconds. */
const PUT_BACK_MS = 24 * 60 * 60_000;

/** Whether a file that was deleted then may still be put back; null: it is not known when. */
export function mayPutBack(deletedAt: number | null, now: number): boolean {
  return deletedAt !== null && now - deletedAt < PUT_BACK_MS;
}

import { setImmediate as nextTurn } from 'node:timers/promises';
import * as attention from './attention.ts';
import * as backfills from './backfills.ts';
import * as catchUps from './catch-ups.ts';
import * as links from './change-link.ts';
import * as channels from './channels.ts';
import * as rows from './claim-row.ts';
import * as filing from './claim-transfers.ts';
import * as deletions from './deletions.ts';
import * as holds from './holds.ts';
import * as jobs from './jobs.ts';
import { type LedgerError, toLedgerError } from './ledger-error.ts';
import * as messages from './messages.ts';
import * as mirror from './mirror.ts';
import * as moving from './move-channel.ts';
import * as recording from './record-share.ts';
import * as records from './records.ts';
import * as reports from './reports.ts';
import * as requests from './requests.ts';
import * as installation from './runs.ts';
import type { Db, Dialect } from './schema.ts';
import * as sender from './sender.ts';
import * as shares from './shares.ts';
import * as steps from './steps.ts';
import * as transfers from './transfer.ts';
import * as waiting from './waiting-files.ts';
import * as watches from './watches.ts';

/**
 * Returns the ledger's functions, bound to the database. Calls made in one turn of the event loop share
 * a commit. All reject with LedgerError only.
 *
 * Durable calls resolve when their effect is on disk. Quick ones do not wait for that: some only read,
 * beside others that would wait with them. A power failure may undo the others, which does no harm: a
 * job is run anew, an upload repeated, a message found again by the intent that is on disk (only a line
 * in direct messages may be sent twice). A reaction is replaced only after a change of its files, and
 * that change takes the reaction's intent to the disk. What a folder's list has shown is read again.
 */
export function callsOf(db: Db, { embedded, awaitDisk }: Dialect) {
  const direct: RunCall = (call) => call(db);
  const { onDisk, soon } = embedded
    ? shareCommits(db, awaitDisk)
    : { onDisk: direct, soon: direct };
  // Only a call that reads a damaged page notices it, so that the check has to remember it.
  let damage: LedgerError | null = null;
  const guard = <Rest extends unknown[], T>(call: (...rest: Rest) => Promise<T>) => {
    return async (...rest: Rest): Promise<T> => {
      try {
        return await call(...rest);
      } catch (cause) {
        const error = toLedgerError(cause);
        if (error.code === 'LEDGER_CORRUPT') damage = error;
        throw error;
      }
    };
  };
  const boundTo =
    (run: RunCall) =>
    <Rest extends unknown[], T>(call: (db: Db, ...rest: Rest) => Promise<T>) =>
      guard((...rest: Rest) => run((trx) => call(trx, ...rest)));
  const durable = boundTo(onDisk);
  const quick = boundTo(soon);
  return {
    // Jobs
    renewLeases: quick(jobs.renewLeases),
    endJob: quick(jobs.endJob),
    sweepLeases: durable(jobs.sweepLeases),
    nextDue: quick(jobs.nextDue),
    claimRow: <Kind extends rows.DueKind>(kind: Kind, lease: jobs.Lease) =>
      guard(() => soon((trx) => rows.claimRow(trx, kind, lease)))(),
    nextFiling: quick(filing.nextFiling),
    claimFiling: quick(filing.claimFiling),
    unfiledIn: durable(filing.unfiledIn),
    announceCreates: durable(filing.announceCreates),
    countActive: durable(filing.countActive),
    enqueueMissing: durable(transfers.enqueueMissing),
    // Shares and transfers
    recordFound: durable(recording.recordFound),
    recordShare: durable(recording.recordShare),
    putBack: durable(recording.putBack),
    findShareById: durable(shares.findShareById),
    sharesOf: durable(shares.sharesOf),
    retryShare: durable(shares.retryShare),
    unknownFiles: durable(shares.unknownFiles),
    otherChannelOf: durable(shares.otherChannelOf),
    lastSavedTo: durable(shares.lastSavedTo),
    savedFolders: durable(shares.savedFolders),
    transfersOfShare: quick(transfers.transfersOfShare),
    countAhead: quick(transfers.countAhead),
    markUploaded: quick(steps.markUploaded),
    noteFile: durable(steps.noteFile),
    markAnswered: durable(steps.markAnswered),
    markNotCreated: durable(steps.markNotCreated),
    markAbsent: durable(steps.markAbsent),
    sendAfterLook: durable(steps.sendAfterLook),
    markCreated: durable(steps.markCreated),
    markNotUploaded: durable(steps.markNotUploaded),
    markRefused: durable(steps.markRefused),
    postpone: durable(steps.postpone),
    release: quick(steps.release),
    markFiled: durable(steps.markFiled),
    // Records
    recordsOfChannels: durable(records.recordsOfChannels),
    beginDelete: durable(records.beginDelete),
    begunDeletes: durable(records.begunDeletes),
    markDeleted: durable(records.markDeleted),
    everFiledAs: durable(records.everFiledAs),
    filedRecords: durable(records.filedRecords),
    openCreates: durable(records.openCreates),
    unheldRecords: durable(records.unheldRecords),
    freeRecord: durable(records.freeRecord),
    knownCreators: durable(records.knownCreators),
    unidentifiedIn: durable(records.unidentifiedIn),
    markFound: durable(records.markFound),
    markUnclear: durable(records.markUnclear),
    // Folders that were read
    findFolder: quick(mirror.findFolder),
    beginReading: quick(mirror.beginReading),
    applyListed: quick(mirror.applyListed),
    liveNumbers: quick(mirror.liveNumbers),
    markMissing: quick(mirror.markMissing),
    noteComplete: quick(mirror.noteComplete),
    noteDeleted: durable(mirror.noteDeleted),
    countRecords: quick(mirror.countRecords),
    newestRecords: quick(mirror.newestRecords),
    recordsNumbered: quick(mirror.recordsNumbered),
    recordsSeenAfter: quick(mirror.recordsSeenAfter),
    // Messages in Slack
    noteShareChanged: durable(messages.noteShareChanged),
    makeOpenLinesDue: durable(messages.makeOpenLinesDue),
    claimMessage: quick(messages.claimMessage),
    findMessage: quick(messages.findMessage),
    beginPost: durable(messages.beginPost),
    beginReaction: quick(messages.beginReaction),
    endMessage: quick(messages.endMessage),
    createReport: durable(reports.createReport),
    findReport: durable(reports.findReport),
    filesOfReport: durable(reports.filesOfReport),
    stopReport: durable(reports.stopReport),
    // Channels and their links
    listLinks: durable(channels.listLinks),
    renameLinks: durable(channels.renameLinks),
    findHistoryMarks: durable(channels.findHistoryMarks),
    recordJoin: durable(channels.recordJoin),
    confirmUpTo: durable(channels.confirmUpTo),
    confirmFirst: durable(channels.confirmFirst),
    findLink: quick(channels.findLink),
    wantsLines: quick(channels.wantsLines),
    setLines: durable(channels.setLines),
    findBookmark: durable(channels.findBookmark),
    noteBookmark: durable(channels.noteBookmark),
    setLink: durable(links.setLink),
    removeLink: durable(links.removeLink),
    moveChannel: durable(moving.moveChannel),
    // Holds
    openHold: durable(holds.openHold),
    keepHold: durable(holds.keepHold),
    endHold: durable(holds.endHold),
    listHolds: durable(holds.listHolds),
    findNotice: durable(holds.findNotice),
    probeHolds: durable(holds.probeHolds),
    claimNotice: durable(holds.claimNotice),
    dropNotice: durable(holds.dropNotice),
    isLinked: durable(holds.isLinked),
    linkersWaiting: durable(holds.linkersWaiting),
    // Files that wait, or need a person
    countParked: durable(waiting.countParked),
    isFirstParked: durable(waiting.isFirstParked),
    fileParked: durable(waiting.fileParked),
    fileShare: durable(waiting.fileShare),
    countWaiting: durable(waiting.countWaiting),
    moveWaiting: durable(waiting.moveWaiting),
    parkWaiting: durable(waiting.parkWaiting),
    sharesRefusedFor: durable(waiting.sharesRefusedFor),
    hurryWaitingFor: durable(waiting.hurryWaitingFor),
    listTroubles: durable(attention.listTroubles),
    countRefused: durable(attention.countRefused),
    countInHand: durable(attention.countInHand),
    troubledShares: durable(attention.troubledShares),
    leaveTroubled: durable(attention.leaveTroubled),
    recentFiles: durable(attention.recentFiles),
    // History
    requestCatchUp: durable(catchUps.requestCatchUp),
    finishCatchUp: durable(catchUps.finishCatchUp),
    beginBackfill: durable(backfills.beginBackfill),
    isBackfilled: durable(backfills.isBackfilled),
    fileBackfill: durable(backfills.fileBackfill),
    markReadTo: durable(backfills.markReadTo),
    failBackfill: durable(backfills.failBackfill),
    // Deletions in Slack
    recordDeletions: durable(deletions.recordDeletions),
    refuseDeleted: durable(deletions.refuseDeleted),
    deletedFiles: durable(deletions.deletedFiles),
    withdrawDeletion: durable(deletions.withdrawDeletion),
    markAsked: durable(deletions.markAsked),
    unmarkAsked: durable(deletions.unmarkAsked),
    // Files that others add
    setWatched: durable(watches.setWatched),
    recordLook: durable(watches.recordLook),
    takeAnnounceRequest: durable(watches.takeAnnounceRequest),
    // The installation
    beginRun: durable(installation.beginRun),
    describeLedger: durable(installation.describeLedger),
    endRun: durable(installation.endRun),
    abandonRun: durable(installation.abandonRun),
    noteMissingScopes: durable(installation.noteMissingScopes),
    noteRequest: durable(requests.noteRequest),
    dropRequest: durable(requests.dropRequest),
    keepSending: durable(sender.keepSending),
    askToSend: durable(sender.askToSend),
    stopSending: durable(sender.stopSending),
    /** Rejects if the database does not work, and until a restart once a call has met damage. */
    check: guard(async () => {
      if (damage) throw damage;
      await onDisk(installation.tryWriting);
    }),
    close: guard(() => db.destroy()),
  };
}

type RunCall = <T>(call: (db: Db) => Promise<T>) => Promise<T>;

interface Waiting {
  /** Whether it resolves only when its effect is on disk. */
  awaitsDisk: boolean;
  /** Runs the call; returns a function that resolves it, for after the commit. */
  run(trx: Db): Promise<() => void>;
  /** Runs the call outside the shared transaction, and settles it. */
  runAlone(): Promise<void>;
}

/**
 * Runs calls made in one turn of the event loop, or during another commit, in one transaction: a
 * commit waits for the disk, so that all of them wait once. If one fails, all are rolled back and
 * each runs by itself, so that only the failing one rejects.
 *
 * A change made by `onDisk` is on disk when its call resolves. One made by `soon` may be undone by a
 * power failure, with every change after it, but none that a call of `onDisk` had waited for.
 */
export function shareCommits(
  db: Db,
  awaitDisk: (awaits: boolean) => void = () => undefined,
): { onDisk: RunCall; soon: RunCall } {
  let waiting: Waiting[] = [];
  let committing = false;

  async function commitAll(): Promise<void> {
    committing = true;
    while (waiting.length > 0) {
      await nextTurn();
      const together = waiting;
      waiting = [];
      awaitDisk(together.some(({ awaitsDisk }) => awaitsDisk));
      await commit(db, together);
    }
    committing = false;
  }

  function runCall(awaitsDisk: boolean): RunCall {
    return <T>(call: (db: Db) => Promise<T>) => {
      const { promise, resolve, reject } = Promise.withResolvers<T>();
      waiting.push({
        awaitsDisk,
        run: (trx) => call(trx).then((result) => () => resolve(result)),
        runAlone: () => call(db).then(resolve, reject),
      });
      if (!committing) void commitAll();
      return promise;
    };
  }

  return { onDisk: runCall(true), soon: runCall(false) };
}

async function commit(db: Db, together: readonly Waiting[]): Promise<void> {
  const [first, second] = together;
  if (!second) return first?.runAlone();
  try {
    const committed = await db.transaction().execute(async (trx) => {
      const done: (() => void)[] = [];
      for (const one of together) done.push(await one.run(trx));
      return done;
    });
    for (const resolve of committed) resolve();
  } catch {
    for (const one of together) await one.runAlone();
  }
}

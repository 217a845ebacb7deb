export { MAX_IN_HAND, type Trouble } from './attention.ts';
export type { Link, LinkNames, PausableLink } from './channels.ts';
export type { ClaimedRow, DueKind } from './claim-row.ts';
export type { ClaimedFiling, DueTransfer } from './claim-transfers.ts';
export type { DeletedFile } from './deletions.ts';
export type { Claim, Lease } from './jobs.ts';
export { isUnrecordable, LedgerError, type LedgerErrorCode } from './ledger-error.ts';
export type { DoneInSlack, NotificationClaim, NotifyingTable } from './notifications.ts';
export { type Ledger, openLedger } from './open-ledger.ts';
export { postgresDialect, postgresPool } from './postgres.ts';
export type { ReadingKind } from './readings.ts';
export type {
  DeletionRow,
  Dialect,
  JobKind,
  ReadingRow,
  ReportRow,
  ShareRow,
  WatchRow,
} from './schema.ts';
export { findUsedSqlite, sqliteDialect } from './sqlite.ts';
export type { Problem } from './steps.ts';
export {
  attachmentOf,
  destinationOf,
  type FiledTransfer,
  isFiled,
  sentAs,
  type Transfer,
} from './transfer.ts';
export { type Looked, readAdded } from './watches.ts';

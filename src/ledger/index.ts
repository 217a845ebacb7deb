export { MAX_IN_HAND, type RecentFile, type Trouble } from './attention.ts';
export type { HoldableLink, Link, LinkNames } from './channels.ts';
export type { ClaimedRow, DueKind } from './claim-row.ts';
export type { ClaimedFiling, DueTransfer } from './claim-transfers.ts';
export type { DeletedFile } from './deletions.ts';
export type { Claim, Lease } from './jobs.ts';
export { isUnrecordable, LedgerError, type LedgerErrorCode } from './ledger-error.ts';
export type { ClaimedMessage, DoneInSlack } from './messages.ts';
export { type Ledger, openLedger } from './open-ledger.ts';
export { postgresDialect, postgresPool } from './postgres.ts';
export type { Report } from './reports.ts';
export type {
  ChannelRow,
  DeletionRow,
  Dialect,
  JobKind,
  MessageRow,
  ShareRow,
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

/* Each function exported here that takes the database first is a method of Ledger: see calls.ts. */
export * from './attention.ts';
export * from './change-link.ts';
export * from './channels.ts';
export * from './claim-transfers.ts';
export * from './deletions.ts';
export * from './lease.ts';
export * from './notifications.ts';
export * from './paused-links.ts';
export * from './readings.ts';
export * from './record-share.ts';
export * from './records.ts';
export * from './reports.ts';
export * from './runs.ts';
export * from './shares.ts';
export * from './steps.ts';
export { countAhead, transfersOfShare } from './transfer.ts';
export * from './waiting-files.ts';
export * from './watches.ts';

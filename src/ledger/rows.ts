import type { Selectable } from 'kysely';
import type { ReportTable, ShareTable, TransferTable } from './schema.ts';

export type ShareRow = Selectable<ShareTable>;
export type TransferRow = Selectable<TransferTable>;
export type ReportRow = Selectable<ReportTable>;

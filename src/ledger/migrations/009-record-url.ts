import { statements } from './001-to-007.ts';

/** Of what is filed from now on it is known where people open it. */
export const addRecordUrl = statements('alter table transfers add column record_url text');

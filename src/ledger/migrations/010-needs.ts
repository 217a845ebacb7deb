import { statements } from './001-to-007.ts';

/** Which scopes were missing in Slack at the last start: see runs.ts. */
export const addMissingScopes = statements('alter table runs add column missing_scopes text');

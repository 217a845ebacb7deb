import { statements } from './001-to-007.ts';

/** Which scopes were missing in Slack at the last start: see runs.ts. */
export const addMissingScopes = statements('alter table runs add column missing_scopes text');

/** The files that need somebody are found by their channel: see attention.ts. */
export const indexTroubled = statements(
  `create index transfers_troubled on transfers (queue)
    where (state = 'refused' or (problem is not null and due_at is not null))`,
);

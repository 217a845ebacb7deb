import type { Dialect } from '../dialect.ts';
import { statements } from './001-to-007.ts';

/** What was deleted in Slack is due under the lease that transfers are: see deletions.ts. */
export const addDeletions = ({ id }: Pick<Dialect, 'id'>) =>
  statements(`
create table deletions (
  id ${id},
  team text not null,
  what text not null,
  deleted_at bigint not null,
  due_at bigint,
  lease_token text,
  attempts integer default 0 not null,
  constraint deletions_what unique (team, what)
);
create index deletions_due on deletions (due_at) where due_at is not null;
create index deletions_leased on deletions (lease_token) where lease_token is not null;
alter table transfers add column asked_at bigint;
create index transfers_slack_file on transfers (slack_file_id)`);

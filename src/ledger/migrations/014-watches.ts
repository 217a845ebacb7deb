import type { Dialect } from '../dialect.ts';
import { statements } from './first-migrations.ts';

/** Folders that are looked into for what others add are due under the lease that transfers are: see watches.ts. */
export const addWatches = ({ id }: Pick<Dialect, 'id'>) =>
  statements(`
create table watches (
  id ${id},
  team text not null,
  channel text not null,
  last_record bigint,
  last_created_at bigint,
  report_id bigint references reports (id),
  failures integer default 0 not null,
  due_at bigint,
  lease_token text,
  attempts integer default 0 not null,
  constraint watches_channel unique (team, channel)
);
create index watches_due on watches (due_at) where due_at is not null;
create index watches_leased on watches (lease_token) where lease_token is not null;
alter table reports add column added text;
alter table runs add column announce_request_at bigint;
create index transfers_size_mismatch on transfers (project_id, folder_id)
  where (refused_in = 'creating' and problem = 'RECORD_SIZE_MISMATCH')`);

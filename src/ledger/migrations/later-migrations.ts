import type { Migration } from 'kysely';
import type { Dialect } from '../dialect.ts';
import { statements } from './first-migrations.ts';

/** What the versions after the first ones added to the tables. */
export function laterMigrations({ id }: Pick<Dialect, 'id'>): Record<string, Migration> {
  return {
    '009-record-url': statements('alter table transfers add column record_url text'),
    '010-missing-scopes': statements('alter table runs add column missing_scopes text'),
    '010-troubled': statements(TROUBLED),
    '011-deletions': statements(deletions(id)),
    '012-paused-links': statements(PAUSED_LINKS),
    '015-project-title': statements('alter table channels add column project_title text'),
  };
}

/** The files that need somebody are found by their channel: see attention.ts. */
const TROUBLED = `
create index transfers_troubled on transfers (queue)
  where (state = 'refused' or (problem is not null and due_at is not null))`;

/** What was deleted in Slack is due under the lease that transfers are: see deletions.ts. */
const deletions = (id: string) => `
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
create index transfers_slack_file on transfers (slack_file_id)`;

/** A link whose folder takes no files is paused, and a file knows that it did so: see paused-links.ts. */
const PAUSED_LINKS = `
alter table channels add column paused_at bigint;
alter table channels add column paused_for text;
alter table channels add column pause_told_at bigint;
alter table transfers add column paused_at bigint;
create index channels_paused on channels (project_id, folder_id) where paused_at is not null`;

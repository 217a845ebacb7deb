import { type Migration, sql } from 'kysely';
import type { Dialect } from '../schema.ts';

/** Returns the migrations of the first versions. */
export function firstMigrations({ id }: Pick<Dialect, 'id'>): Record<string, Migration> {
  return {
    '001-first': statements(firstTables(id)),
    '002-created': statements(CREATED),
    '003-key-notice': statements('alter table runs add column key_notice_at bigint'),
    '004-answered': statements('alter table transfers add column answered_at bigint'),
    '005-record-unknown': statements(
      `create index transfers_record_unknown on transfers (project_id, folder_id)
        where (state = 'filed' and record_id is null)`,
    ),
    '006-batches': statements(BATCHES),
    '007-leases': statements(leases(id)),
  };
}

/** Returns a migration of these statements, each ended by a semicolon at the end of a line. */
export function statements(text: string): Migration {
  return {
    up: async (db) => {
      const each = text.split(/;$/m).map((statement) => statement.trim());
      for (const statement of each) if (statement !== '') await sql.raw(statement).execute(db);
    },
  };
}

const NOTIFYING = `
  tell_at bigint,
  tell_version integer default 0 not null,
  tell_token text,
  tell_failures integer default 0 not null,
  reply_ts text,
  reply_begun integer default 0 not null,
  told text`;

/*
 * A channel's history is read under one report at a time. Shares that a report covers are notified
 * when no other share is due, so that each kind has an index. Few transfers are live beside a
 * million settled ones: their indexes hold only live rows. One file of a name and size is created
 * in a folder at a time, so that a look cannot mistake twins.
 */
const firstTables = (id: string) => `
create table runs (
  id integer primary key,
  started_at bigint not null,
  ended_at bigint,
  away_since text,
  ballast text
);
create table channels (
  team text not null,
  channel text not null,
  project_id bigint,
  folder_id bigint,
  folder_name text,
  linked_by text,
  linked_at bigint,
  confirmed_ts text,
  catch_up_until bigint,
  caught_up_at bigint,
  hinted_on text,
  constraint channels_key primary key (team, channel)
);
create table reports (
  id ${id},
  team text not null,
  channel text not null,
  kind text not null,
  started_by text,
  started_at bigint not null,
  stopped integer default 0 not null,
  read_until bigint,
  read_token text,
  read_to text,
  read_failures integer default 0 not null,
  read_problem text,${NOTIFYING}
);
create index reports_to_tell on reports (tell_at) where tell_at is not null;
create unique index reports_reading on reports (team, channel) where read_until is not null;
create table shares (
  id ${id},
  team text not null,
  channel text not null,
  ts text not null,
  thread_ts text,
  user_id text,
  origin text not null,
  report_id bigint references reports (id),
  reaction text,
  reaction_begun text,
  recorded_at bigint not null,${NOTIFYING},
  constraint shares_message unique (team, channel, ts)
);
create index shares_to_tell on shares (tell_at) where tell_at is not null and report_id is null;
create index shares_to_tell_spoken_for on shares (tell_at)
  where tell_at is not null and report_id is not null;
create index shares_report on shares (report_id) where report_id is not null;
create table transfers (
  id ${id},
  share_id bigint not null references shares (id),
  queue text not null,
  position integer not null,
  slack_file_id text not null,
  slack_file text not null,
  name text not null,
  user_id text,
  state text not null,
  refused_in text,
  project_id bigint,
  folder_id bigint,
  attachment_id bigint,
  byte_size bigint,
  service_time bigint,
  uploads integer default 0 not null,
  creating_since bigint,
  record_id bigint,
  deleted_by text,
  attempts integer default 0 not null,
  failures integer default 0 not null,
  losses integer default 0 not null,
  failing_since bigint,
  problem text,
  problem_note text,
  next_at bigint,
  lease_token text,
  recorded_at bigint not null,
  settled_at bigint,
  constraint transfers_file unique (share_id, slack_file_id)
);
create index transfers_due on transfers (queue, next_at, id) where next_at is not null;
create index transfers_next on transfers (next_at) where next_at is not null;
create index transfers_leased on transfers (lease_token) where lease_token is not null;
create index transfers_parked on transfers (queue) where state = 'parked';
create unique index transfers_creating on transfers (project_id, folder_id, name, byte_size)
  where (state = 'creating' or (refused_in = 'creating'
    and problem not in ('RECORD_SIZE_MISMATCH', 'RECORD_TAKEN')));
create unique index transfers_record on transfers (project_id, folder_id, record_id)
  where record_id is not null;`;

/*
 * A create that succeeded is not repeated: rows count how often a create was sent and note the last
 * record before it. The count of uploads limits nothing any more. Transfers refused as taken had
 * got a success response, though with another file's record: they become filed.
 */
const CREATED = `
alter table transfers add column creates integer default 0 not null;
alter table transfers add column last_record bigint;
alter table transfers drop column uploads;
update transfers set creates = 1 where creating_since is not null;
update transfers set state = 'filed', refused_in = null, problem = null, problem_note = null
  where state = 'refused' and problem = 'RECORD_TAKEN';
drop index transfers_creating;
create unique index transfers_creating on transfers (project_id, folder_id, name, byte_size)
  where (state in ('creating', 'created')
    or (refused_in = 'creating' and problem <> 'RECORD_SIZE_MISMATCH'));`;

/*
 * Transfers are claimed as one file to upload, all attachments of a folder to create, or all its
 * open creates to look for. Uploads and looks have indexes of their own: looks are found among any
 * number of uploads. `attempts` counts the claims since a transfer last made progress.
 */
const BATCHES = `
alter table transfers rename column next_at to due_at;
alter table transfers add column slack_size bigint;
alter table transfers add column uploaded_at bigint;
alter table transfers add column alone integer default 0 not null;
update transfers set attempts = failures + losses + case when lease_token is null then 0 else 1 end
  where due_at is not null;
alter table transfers drop column losses;
drop index transfers_due;
create index transfers_filing on transfers (queue, due_at, id)
  where due_at is not null and state in ('recorded', 'uploaded');
create index transfers_open on transfers (queue, due_at, id)
  where due_at is not null and state in ('creating', 'created');
create index transfers_next_look on transfers (due_at)
  where due_at is not null and state in ('creating', 'created');
create index transfers_uploaded on transfers (project_id, folder_id, name, byte_size)
  where state = 'uploaded';`;

const leaseMessages = (table: string) => `
alter table ${table} rename column tell_at to due_at;
alter table ${table} rename column tell_token to lease_token;
alter table ${table} rename column tell_version to version;
alter table ${table} rename column tell_failures to failures;
alter table ${table} rename column told to fingerprint;
alter table ${table} add column attempts integer default 0 not null;
create index ${table}_leased on ${table} (lease_token) where lease_token is not null;`;

/*
 * Messages to Slack and readings of its history are due under the same lease as transfers: see
 * lease.ts. A channel has one catch-up and one unfinished backfill at a time. The readings of all
 * backfills move here, with the claims on them and the last failures.
 */
const leases = (id: string) => `
create table readings (
  id ${id},
  team text not null,
  channel text not null,
  report_id bigint unique references reports (id),
  since text,
  needed_at bigint,
  read_to text,
  failures integer default 0 not null,
  problem text,
  due_at bigint,
  lease_token text,
  attempts integer default 0 not null
);
create index readings_leased on readings (lease_token) where lease_token is not null;
create unique index readings_catch_up on readings (team, channel) where report_id is null;
create unique index readings_backfill on readings (team, channel)
  where report_id is not null and due_at is not null;
insert into readings (team, channel, report_id, read_to, failures, problem, due_at, lease_token)
  select team, channel, id, read_to, read_failures, read_problem, read_until, read_token
  from reports where kind = 'backfill';
drop index reports_reading;
alter table reports drop column read_until;
alter table reports drop column read_token;
alter table reports drop column read_to;
alter table reports drop column read_failures;
alter table reports drop column read_problem;
alter table channels drop column catch_up_until;
alter table channels drop column caught_up_at;
alter table channels drop column hinted_on;
${leaseMessages('shares')}
${leaseMessages('reports')}
drop index shares_to_tell;
drop index shares_to_tell_spoken_for;
drop index reports_to_tell;
create index shares_due on shares (due_at) where due_at is not null and report_id is null;
create index shares_due_spoken_for on shares (due_at)
  where due_at is not null and report_id is not null;
create index reports_due on reports (due_at) where due_at is not null;`;

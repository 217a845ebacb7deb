import type { Migration } from 'kysely';
import type { Dialect } from '../schema.ts';
import { statements } from './first-migrations.ts';
import { mirrorTables } from './mirror-tables.ts';

/** Returns the migrations of the versions after the first ones. */
export function laterMigrations({ id, name }: Dialect): Record<string, Migration> {
  return {
    '009-record-url': statements('alter table transfers add column record_url text'),
    '010-missing-scopes': statements('alter table runs add column missing_scopes text'),
    '010-troubled': statements(TROUBLED),
    '011-deletions': statements(deletions(id)),
    '012-paused-links': statements(PAUSED_LINKS),
    '013-saved': statements(`${name === 'sqlite' ? sqliteShares(id) : POSTGRES_SHARES}${SAVED}`),
    '014-watches': statements(watches(id)),
    '015-project-title': statements('alter table channels add column project_title text'),
    '016-record-creator': statements(RECORD_CREATOR),
    '017-creators': statements(CREATORS),
    '017-joined': statements('alter table channels add column joined_ts text'),
    '018-parked': statements(PARKED),
    '019-readings-due': statements(READINGS_DUE),
    '020-uploaded-due': statements(UPLOADED_DUE),
    '021-duplicates': statements(DUPLICATES),
    '022-due': statements(DUE),
    '023-requests': statements(REQUESTS),
    '024-held': statements(HELD),
    '024-record-name': statements('alter table transfers add column record_name text'),
    '025-mirror': statements(mirrorTables(id)),
  };
}

/** Files that need a person are found by their channel: see attention.ts. */
const TROUBLED = `
create index transfers_troubled on transfers (queue)
  where (state = 'refused' or (problem is not null and due_at is not null))`;

/** Deletions in Slack are due under the same lease as transfers: see deletions.ts. */
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

/** Paused links, and the files that paused them: see paused-links.ts. */
const PAUSED_LINKS = `
alter table channels add column paused_at bigint;
alter table channels add column paused_for text;
alter table channels add column pause_told_at bigint;
alter table transfers add column paused_at bigint;
create index channels_paused on channels (project_id, folder_id) where paused_at is not null`;

const COLUMNS = `id, team, channel, ts, thread_ts, user_id, origin, report_id, reaction, reaction_begun,
  recorded_at, due_at, version, lease_token, failures, reply_ts, reply_begun, fingerprint, attempts`;

/*
 * SQLite cannot change a constraint of a table. The table is recreated under its own name, as
 * foreign keys refer to the name; the rows that they need exist again before the transaction ends.
 */
const sqliteShares = (id: string) => `
pragma defer_foreign_keys = on;
create table shares_before as select * from shares;
drop table shares;
create table shares (
  id ${id},
  team text not null,
  channel text not null,
  ts text not null,
  thread_ts text,
  user_id text,
  origin text not null,
  report_id bigint references reports (id),
  saved_to text default '' not null,
  saved_by text,
  reply_channel text,
  reaction text,
  reaction_begun text,
  recorded_at bigint not null,
  due_at bigint,
  version integer default 0 not null,
  lease_token text,
  failures integer default 0 not null,
  reply_ts text,
  reply_begun integer default 0 not null,
  fingerprint text,
  attempts integer default 0 not null,
  constraint shares_message unique (team, channel, ts, saved_to)
);
insert into shares (${COLUMNS}) select ${COLUMNS} from shares_before;
drop table shares_before;
create index shares_report on shares (report_id) where report_id is not null;
create index shares_leased on shares (lease_token) where lease_token is not null;
create index shares_due on shares (due_at) where due_at is not null and report_id is null;
create index shares_due_spoken_for on shares (due_at)
  where due_at is not null and report_id is not null;`;

const POSTGRES_SHARES = `
alter table shares add column saved_to text default '' not null;
alter table shares add column saved_by text;
alter table shares add column reply_channel text;
alter table shares drop constraint shares_message;
alter table shares add constraint shares_message unique (team, channel, ts, saved_to);`;

/**
 * A message's files may also be saved to folders by hand: each folder is a share of its own, with
 * who asked for it, and its line may be elsewhere than in its message's thread.
 */
const SAVED = `
create index shares_saved_by on shares (team, saved_by, id) where saved_by is not null;
create index shares_saved_from on shares (team, channel) where saved_by is not null`;

/**
 * Folders that are watched for files that others add are due under the same lease as transfers: see
 * watches.ts.
 */
const watches = (id: string) => `
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
  where (refused_in = 'creating' and problem = 'RECORD_SIZE_MISMATCH')`;

/** Keeps the creator of our records beyond the process that learned it from the service. */
const RECORD_CREATOR = `
alter table transfers add column record_creator bigint;
create index transfers_record_creator on transfers (id) where record_creator is not null`;

/** Serves a lookup of all users of our keys, not of the last one only. */
const CREATORS = `
drop index transfers_record_creator;
create index transfers_record_creators on transfers (record_creator)
  where record_creator is not null`;

/** Counts of parked files read the index alone: every file ever shared may be parked. */
const PARKED = `
drop index transfers_parked;
create index transfers_parked on transfers (queue, project_id, name) where state = 'parked'`;

/**
 * Each channel's catch-up comes due again and again: finding the next must not sort them all, nor
 * may finding a backfill read them all.
 */
const READINGS_DUE = `
create index readings_due on readings (due_at) where due_at is not null;
create index readings_backfill_due on readings (due_at)
  where due_at is not null and report_id is not null`;

/** Each claim asks for an overdue attachment: that must not read all the files that wait. */
const UPLOADED_DUE = `
create index transfers_uploaded_due on transfers (due_at) where state = 'uploaded'`;

/**
 * A file saved by hand to its channel's folder left no row in its message's own share if that came
 * later: without one, a backfill would offer the file again, and file it if the copy was deleted.
 */
const DUPLICATES = `
insert into transfers (share_id, queue, position, slack_file_id, slack_file, slack_size, name,
    user_id, state, project_id, folder_id, recorded_at)
  select own.id, own.team || '/' || own.channel, copy.position, copy.slack_file_id,
    copy.slack_file, copy.slack_size, copy.name, copy.user_id, 'duplicate', copy.project_id,
    copy.folder_id, copy.recorded_at
  from shares as saved
  join shares as own on own.team = saved.team and own.channel = saved.channel
    and own.ts = saved.ts and own.saved_to = ''
  join channels on channels.team = own.team and channels.channel = own.channel
  join transfers as copy on copy.share_id = saved.id
    and copy.project_id = channels.project_id and copy.folder_id = channels.folder_id
  where saved.saved_by is not null and copy.state in ('created', 'filed', 'deleted')
  on conflict do nothing`;

/**
 * The next share without a reaction is found beside any number that have one and are due, too. Looks
 * are claimed by when they are due, so that no index by queue serves them.
 */
const DUE = `
create index shares_unreacted on shares (due_at)
  where due_at is not null and report_id is null and reaction is null;
drop index transfers_open`;

/** Requests of Slack's that were acted upon: see requests.ts. */
const REQUESTS = `
create table requests (signature text primary key not null, sent_at bigint not null);
create index requests_sent on requests (sent_at)`;

/** A service may give the number of a deleted record to another file. */
const HELD = `
drop index transfers_record;
create index transfers_record on transfers (project_id, folder_id, record_id)
  where record_id is not null;
create unique index transfers_held on transfers (project_id, folder_id, record_id)
  where record_id is not null and state <> 'deleted'`;

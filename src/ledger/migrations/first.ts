import { type Migration, sql } from 'kysely';
import type { Dialect } from '../schema.ts';

/** Returns the migration that creates all tables: see schema.ts for what their columns mean. */
export function first({ id }: Pick<Dialect, 'id'>): Migration {
  return statements(tables(id));
}

/** Returns a migration of these statements, each ended by a semicolon at the end of a line. */
function statements(text: string): Migration {
  return {
    up: async (db) => {
      const each = text.split(/;$/m).map((statement) => statement.trim());
      for (const statement of each) if (statement !== '') await sql.raw(statement).execute(db);
    },
  };
}

const LEASED = `
  due_at bigint,
  lease_token text,
  attempts integer default 0 not null`;

const NOTIFYING = `${LEASED},
  version integer default 0 not null,
  failures integer default 0 not null,
  reply_ts text,
  reply_begun integer default 0 not null,
  fingerprint text`;

/*
 * Few rows are live beside a million settled ones: the indexes of what is due hold only live rows. A
 * channel has one catch-up and one unfinished backfill at a time. One file of a name and size is
 * created in a folder at a time, so that a look cannot mistake twins; and a record is held by one
 * transfer, but a service may give the number of a deleted one to another file. A message's files
 * may also be saved to folders by hand: each folder is a share of its own.
 */
const tables = (id: string) => `
create table runs (
  id integer primary key,
  started_at bigint not null,
  ended_at bigint,
  away_since text,
  key_notice_at bigint,
  missing_scopes text,
  announce_request_at bigint,
  ballast text
);
create table requests (signature text primary key not null, sent_at bigint not null);
create index requests_sent on requests (sent_at);
create table channels (
  team text not null,
  channel text not null,
  project_id bigint,
  folder_id bigint,
  project_title text,
  folder_name text,
  linked_by text,
  linked_at bigint,
  paused_at bigint,
  paused_for text,
  pause_told_at bigint,
  confirmed_ts text,
  joined_ts text,
  threads_ts text,
  rest_due text,
  constraint channels_key primary key (team, channel)
);
create index channels_paused on channels (project_id, folder_id) where paused_at is not null;
create table reports (
  id ${id},
  team text not null,
  channel text not null,
  kind text not null,
  started_by text,
  started_at bigint not null,
  stopped integer default 0 not null,
  added text,${NOTIFYING}
);
create index reports_due on reports (due_at) where due_at is not null;
create index reports_leased on reports (lease_token) where lease_token is not null;
create table readings (
  id ${id},
  team text not null,
  channel text not null,
  report_id bigint unique references reports (id),
  since text,
  needed_at bigint,
  read_to text,
  problem text,${LEASED}
);
create unique index readings_catch_up on readings (team, channel) where report_id is null;
create unique index readings_backfill on readings (team, channel)
  where report_id is not null and due_at is not null;
create index readings_due on readings (due_at) where due_at is not null;
create index readings_backfill_due on readings (due_at)
  where due_at is not null and report_id is not null;
create index readings_leased on readings (lease_token) where lease_token is not null;
create table watches (
  id ${id},
  team text not null,
  channel text not null,
  last_record bigint,
  last_created_at bigint,
  report_id bigint references reports (id),${LEASED},
  constraint watches_channel unique (team, channel)
);
create index watches_due on watches (due_at) where due_at is not null;
create index watches_leased on watches (lease_token) where lease_token is not null;
create table deletions (
  id ${id},
  team text not null,
  what text not null,
  deleted_at bigint not null,${LEASED},
  constraint deletions_what unique (team, what)
);
create index deletions_due on deletions (due_at) where due_at is not null;
create index deletions_leased on deletions (lease_token) where lease_token is not null;
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
  recorded_at bigint not null,${NOTIFYING},
  constraint shares_message unique (team, channel, ts, saved_to)
);
create index shares_due on shares (due_at) where due_at is not null and report_id is null;
create index shares_due_spoken_for on shares (due_at)
  where due_at is not null and report_id is not null;
create index shares_unreacted on shares (due_at)
  where due_at is not null and report_id is null and reaction is null;
create index shares_leased on shares (lease_token) where lease_token is not null;
create index shares_report on shares (report_id) where report_id is not null;
create index shares_saved_by on shares (team, saved_by, id) where saved_by is not null;
create index shares_saved_from on shares (team, channel) where saved_by is not null;
create table transfers (
  id ${id},
  share_id bigint not null references shares (id),
  queue text not null,
  position integer not null,
  slack_file_id text not null,
  slack_file text not null,
  slack_size bigint,
  name text not null,
  user_id text,
  state text not null,
  refused_in text,
  project_id bigint,
  folder_id bigint,
  attachment_id bigint,
  byte_size bigint,
  uploaded_at bigint,
  service_time bigint,
  creates integer default 0 not null,
  creating_since bigint,
  answered_at bigint,
  alone integer default 0 not null,
  last_record bigint,
  record_id bigint,
  record_name text,
  record_url text,
  record_creator bigint,
  deleted_by text,
  asked_at bigint,
  failures integer default 0 not null,
  failing_since bigint,
  paused_at bigint,
  problem text,
  problem_note text,
  earlier text,
  recorded_at bigint not null,${LEASED},
  constraint transfers_file unique (share_id, slack_file_id)
);
create index transfers_filing on transfers (queue, due_at, id)
  where due_at is not null and state in ('recorded', 'uploaded');
create index transfers_next on transfers (due_at) where due_at is not null;
create index transfers_next_look on transfers (due_at)
  where due_at is not null and (state in ('creating', 'created') or earlier is not null);
create index transfers_leased on transfers (lease_token) where lease_token is not null;
create index transfers_parked on transfers (queue, project_id, name) where state = 'parked';
create index transfers_uploaded on transfers (project_id, folder_id, name, byte_size)
  where state = 'uploaded';
create index transfers_uploaded_due on transfers (due_at) where state = 'uploaded';
create index transfers_troubled on transfers (queue)
  where (state = 'refused' or (problem is not null and due_at is not null));
create index transfers_slack_file on transfers (slack_file_id);
create unique index transfers_creating on transfers (project_id, folder_id, name, byte_size)
  where (state in ('creating', 'created')
    or (refused_in = 'creating' and problem <> 'RECORD_SIZE_MISMATCH'));
create index transfers_size_mismatch on transfers (project_id, folder_id)
  where (refused_in = 'creating' and problem = 'RECORD_SIZE_MISMATCH');
create index transfers_record_unknown on transfers (project_id, folder_id)
  where (state = 'filed' and record_id is null);
create index transfers_record on transfers (project_id, folder_id, record_id)
  where record_id is not null;
create unique index transfers_held on transfers (project_id, folder_id, record_id)
  where record_id is not null and state <> 'deleted';
create index transfers_record_creators on transfers (record_creator)
  where record_creator is not null;`;

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

/*
 * Few rows are live beside a million settled ones: the indexes of what is to be done hold only live
 * rows. A channel has one unfinished backfill at a time. A record is held by one
 * transfer, but a service may give the number of a deleted one to another file. A message's files may
 * also be saved to folders by hand: each folder is a share of its own. A file of a message goes to a
 * folder once. The one index of records beside their key serves pages, searches and matching; a second
 * one would slow all of them.
 */
const tables = (id: string) => `
create table jobs (
  kind text not null,
  key text not null,
  scope text,
  queue text not null,
  due_at bigint,
  lease_token text,
  attempts integer default 0 not null,
  again_at bigint,
  constraint jobs_key primary key (kind, key)
);
create index jobs_due on jobs (kind, queue, due_at, key)
  where lease_token is null and due_at is not null;
create index jobs_next on jobs (kind, due_at) where due_at is not null;
create index jobs_held on jobs (scope) where due_at is null;
create index jobs_leased on jobs (lease_token) where lease_token is not null;
create table holds (
  scope text primary key not null,
  reason text not null,
  since bigint not null,
  told text default ' ' not null
);
create table runs (
  id integer primary key,
  started_at bigint not null,
  ended_at bigint,
  away_since text,
  missing_scopes text,
  announce_request_at bigint,
  ballast text
);
create table sender (
  id integer primary key,
  process text,
  lease_until bigint,
  sent_until bigint,
  asked_by text
);
insert into sender (id) values (1);
create table requests (signature text primary key not null, sent_at bigint not null);
create index requests_sent on requests (sent_at);
create table reports (
  id ${id},
  team text not null,
  channel text not null,
  kind text not null,
  started_by text,
  started_at bigint not null,
  stopped integer default 0 not null,
  added text,
  reading integer,
  read_to text,
  problem text
);
create unique index reports_reading on reports (team, channel) where reading = 1;
create table channels (
  team text not null,
  channel text not null,
  project_id bigint,
  folder_id bigint,
  project_title text,
  folder_name text,
  url text,
  linked_by text,
  linked_at bigint,
  lines integer default 0 not null,
  announces integer default 0 not null,
  added_seen bigint,
  added_report_id bigint references reports (id),
  bookmark_id text,
  confirmed_ts text,
  joined_ts text,
  threads_ts text,
  rest_due text,
  catch_up_since text,
  constraint channels_key primary key (team, channel)
);
create table messages (
  kind text not null,
  about bigint not null,
  channel text,
  ts text,
  begun integer default 0 not null,
  fingerprint text,
  reaction text,
  reaction_begun text,
  constraint messages_key primary key (kind, about)
);
create table folders (
  id ${id},
  project_id bigint not null,
  folder_id bigint not null,
  counter bigint default 0 not null,
  written bigint default 0 not null,
  list_order text,
  paged integer default 0 not null,
  highest bigint default 0 not null,
  unreadable integer default 0 not null,
  read_at bigint,
  complete_at bigint,
  service_time bigint,
  used_at bigint not null,
  constraint folders_key unique (project_id, folder_id)
);
create index folders_used on folders (used_at);
create table records (
  folder bigint not null references folders (id),
  number bigint not null,
  name text not null,
  folded text not null,
  byte_size bigint,
  creator_id bigint,
  created_at bigint not null,
  file_type text,
  approved_count bigint not null,
  proof_count bigint not null,
  url text,
  first_seen bigint not null,
  changed_in bigint not null,
  gone_since bigint,
  constraint records_key primary key (folder, number)
);
create index records_newest on records (folder, created_at desc, number desc)
  where gone_since is null;
create table deletions (
  id ${id},
  team text not null,
  what text not null,
  deleted_at bigint not null,
  constraint deletions_what unique (team, what)
);
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
  recorded_at bigint not null,
  constraint shares_message unique (team, channel, ts, saved_to)
);
create index shares_report on shares (report_id) where report_id is not null;
create index shares_saved_by on shares (team, saved_by, id) where saved_by is not null;
create index shares_saved_from on shares (team, channel) where saved_by is not null;
create table transfers (
  id ${id},
  share_id bigint not null references shares (id),
  message text not null,
  own integer not null,
  queue text not null,
  position integer not null,
  slack_file_id text not null,
  slack_file text not null,
  slack_size bigint,
  name text not null,
  user_id text,
  state text not null,
  refused_in text,
  left_in_slack integer default 0 not null,
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
  deleted_at bigint,
  asked_at bigint,
  failures integer default 0 not null,
  failing_since bigint,
  next_try_at bigint,
  held_at bigint,
  problem text,
  problem_note text,
  earlier text,
  recorded_at bigint not null
);
create index transfers_share on transfers (share_id, position, id);
create unique index transfers_own on transfers (message, slack_file_id) where own = 1;
create unique index transfers_once on transfers (message, slack_file_id, project_id, folder_id);
create index transfers_open on transfers (queue, id)
  where state in ('recorded', 'uploaded', 'creating', 'created');
create index transfers_open_in on transfers (project_id, folder_id)
  where state in ('uploaded', 'creating', 'created');
create index transfers_sought_in on transfers (project_id, folder_id)
  where state in ('recorded', 'uploaded') and earlier is not null;
create index transfers_parked on transfers (queue, left_in_slack, name, user_id)
  where state = 'parked';
create index transfers_filed_of on transfers (user_id, id) where state = 'filed';
create index transfers_troubled on transfers (queue)
  where problem is not null;
create index transfers_slack_file on transfers (slack_file_id);
create index transfers_unclear on transfers (project_id, folder_id)
  where refused_in = 'creating';
create index transfers_record_unknown on transfers (project_id, folder_id)
  where (state = 'filed' and record_id is null);
create index transfers_record on transfers (project_id, folder_id, record_id)
  where record_id is not null;
create unique index transfers_held on transfers (project_id, folder_id, record_id)
  where record_id is not null and state <> 'deleted';
create index transfers_record_creators on transfers (record_creator)
  where record_creator is not null;`;

import type { Dialect } from '../dialect.ts';
import { statements } from './first-migrations.ts';

const COLUMNS = `id, team, channel, ts, thread_ts, user_id, origin, report_id, reaction, reaction_begun,
  recorded_at, due_at, version, lease_token, failures, reply_ts, reply_begun, fingerprint, attempts`;

/*
 * SQLite changes no constraint of a table. The table is made anew under its own name, as those that
 * refer to it go by the name; what they refer to is there again before the transaction ends.
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
 * The files of a message may be put into folders by hand besides: each folder is a share of its own, with
 * who asked for it, and its line may stand elsewhere than in the thread of its message.
 */
export const addSaved = ({ id, name }: Pick<Dialect, 'id' | 'name'>) =>
  statements(`${name === 'sqlite' ? sqliteShares(id) : POSTGRES_SHARES}
create index shares_saved_by on shares (team, saved_by, id) where saved_by is not null;
create index shares_saved_from on shares (team, channel) where saved_by is not null`);

/**
 * Returns the tables of the mirror, which keeps what folders' lists have shown: see mirror.ts. The
 * one index beside the key serves pages, searches and matching; a second one slows all of them.
 */
export const mirrorTables = (id: string) => `
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
alter table watches add column seen bigint;
alter table watches drop column last_record;
alter table watches drop column last_created_at`;

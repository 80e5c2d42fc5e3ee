-- What was asked, by whom. Records are kept in blocks: one row for what came within a moment, a record a line (JSON),
-- compressed with Zstandard. `users` and `clusters` are who and what the lines name, to find them without reading all.
create table audit_block (
  first_seq bigint primary key,
  last_seq bigint not null,
  first_at timestamptz not null,
  last_at timestamptz not null,
  users text[] collate "C" not null,
  clusters text[] collate "C" not null,
  last_hash text collate "C" not null,
  lines bytea not null
);

alter table audit_block alter column lines set storage external;

-- The chain's newest record, and the newest of those that were deleted because of their age.
create table audit_head (
  id integer primary key check (id = 1),
  last_seq bigint not null,
  last_hash text collate "C" not null,
  anchor_seq bigint not null,
  anchor_hash text collate "C" not null
);

insert into audit_head (id, last_seq, last_hash, anchor_seq, anchor_hash)
values (1, 0, repeat('0', 64), 0, repeat('0', 64));

-- Recorded exec and attach sessions; what was on their screens is in files.
create table recording (
  seq bigint generated always as identity primary key,
  request_id text collate "C" not null,
  at timestamptz not null,
  principal text collate "C" not null,
  cluster text collate "C" not null,
  namespace text collate "C" not null,
  pod text collate "C" not null,
  container text collate "C",
  kind text collate "C" not null,
  state text collate "C" not null,
  reason text collate "C",
  size_bytes bigint not null,
  duration_ms double precision,
  file text collate "C" not null
);

create index recording_request on recording (request_id);

create index recording_at on recording (at);

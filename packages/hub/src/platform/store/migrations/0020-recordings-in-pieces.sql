-- Of several hubs on this database each can show what any of them recorded, so what was on the screens is here, too. A hub
-- that has its database alone keeps it in files. `alive_at` is when the hub of a running session last said that it records.
alter table recording add column in_pieces boolean not null default false;

alter table recording add column alive_at timestamptz;

create index recording_running on recording (alive_at) where state = 'running';

create table recording_piece (
  recording bigint not null references recording (seq) on delete cascade,
  number integer not null,
  bytes bytea not null check (octet_length(bytes) <= 262144),
  primary key (recording, number)
);

-- The bytes are compressed already.
alter table recording_piece alter column bytes set storage external;

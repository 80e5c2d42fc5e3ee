-- Commands: what clusters are asked to do. They outlive their cluster, whose name they keep, until their time is over.
-- Times are by the clock of the database.
create table command (
  id text collate "C" primary key,
  -- The order in which commands were asked for; within a cluster also the order of their commits.
  number bigserial not null unique,
  cluster text collate "C" not null,
  -- Which one of those that had the name.
  incarnation uuid not null,
  -- UID of its kube-system; empty if nobody knew that then.
  cluster_uid text collate "C",
  kind text collate "C" not null,
  target text collate "C" not null,
  namespace text collate "C" not null,
  dry_run boolean not null,
  -- JSON as it is signed.
  spec text collate "C" not null,
  spec_bytes integer not null,
  requester text collate "C" not null,
  requester_uid text collate "C" not null,
  idempotency_key text collate "C",
  -- Of the request that came with the key, so that another one under it is told from the same one.
  idempotency_digest text collate "C",
  retry_of text collate "C",
  priority smallint not null,
  created_at timestamptz not null default clock_timestamp(),
  deadline_at timestamptz not null,
  state text collate "C" not null,
  -- Counts claims; what is said under a lower one than the newest doesn't count.
  epoch bigint not null default 0,
  claimed_by text collate "C",
  -- Until then nobody else may claim it; of a queued one: when its last claim was over.
  lease_until timestamptz,
  -- The highest sequence of the reports under the epoch.
  reported bigint not null default 0,
  -- Claims that ended without a word of the agent.
  lapses integer not null default 0,
  cancellation text collate "C",
  code text collate "C",
  message text collate "C",
  hint text collate "C",
  result text collate "C",
  result_bytes integer not null default 0,
  -- What the agent said that the whole log has.
  log_end bigint,
  finished_at timestamptz
) with (fillfactor = 70);

create unique index command_idempotency on command (requester_uid, idempotency_key) where idempotency_key is not null;
create index command_unfinished on command (cluster, target, number) where finished_at is null;
create index command_leases on command (lease_until) where state in ('claimed', 'resolving', 'running');
create index command_list on command (cluster, number);
create index command_finished on command (cluster, finished_at) where finished_at is not null;
create index command_finished_at on command (finished_at);

-- Whoever gives out a cluster's commands or adds to them holds its row, so that counts stay true.
create table command_queue (
  cluster text collate "C" primary key
);

-- A row is a step of a command's life.
create table command_step (
  id bigserial primary key,
  command text collate "C" not null references command (id) on delete cascade,
  at timestamptz not null default clock_timestamp(),
  actor text collate "C" not null,
  from_state text collate "C",
  to_state text collate "C" not null,
  reason text collate "C"
);

create index command_step_command on command_step (command, id);

-- How much of a command's log is there.
create table command_log (
  command text collate "C" primary key references command (id) on delete cascade,
  cluster text collate "C" not null,
  bytes bigint not null default 0,
  -- It has as much as a log may have.
  is_full boolean not null default false,
  -- Removed since the cluster's logs take too much room.
  is_gone boolean not null default false
) with (fillfactor = 50);

create index command_log_cluster on command_log (cluster);

-- The log in pieces, gzip. Offsets and lengths are those before compression.
create table command_log_piece (
  command text collate "C" not null references command (id) on delete cascade,
  start bigint not null,
  bytes integer not null,
  data bytea not null,
  primary key (command, start)
);

-- Keys that sign commands. One that is not yet to sign, or signs no more, is given out beside the one that does.
create table command_key (
  id text collate "C" primary key,
  public_jwk text collate "C" not null,
  signs_from timestamptz not null,
  ends_at timestamptz
);

-- A private key as the certificate authority's are kept: encrypted once by each key encryption key that some hub still goes
-- by. `key_id` is empty, and the key as it is, where there is none: in a database that the hub has in its own folder.
create table command_key_seal (
  key text collate "C" not null references command_key (id) on delete cascade,
  key_id text collate "C" not null,
  sealed_key text collate "C" not null,
  replaced_by text collate "C",
  primary key (key, key_id)
);

-- Rollouts: the same asked of several clusters, in waves. Each cluster gets an ordinary command as its turn comes. Times are
-- by the clock of the database. Whoever changes a rollout or one of its clusters holds the rollout's row.
create table rollout (
  id text collate "C" primary key,
  -- The order in which rollouts were asked for.
  number bigserial not null unique,
  kind text collate "C" not null,
  target text collate "C" not null,
  namespace text collate "C" not null,
  dry_run boolean not null,
  -- What each command is asked for by, without its cluster. JSON.
  request text collate "C" not null,
  request_bytes integer not null,
  requester text collate "C" not null,
  requester_uid text collate "C" not null,
  -- By what his rights are found again when he isn't there. JSON.
  asker text collate "C" not null,
  max_parallel integer,
  stop_after integer,
  -- Between waves; 0: until somebody resumes it; empty: no pause.
  pause_seconds integer,
  waves integer not null,
  state text collate "C" not null,
  -- The one that is under way.
  wave integer not null default 1,
  -- `asked` or `between-waves`; of one that is stopping: the outcome towards which.
  why text collate "C",
  -- Who paused or cancelled it.
  by_whom text collate "C",
  resume_at timestamptz,
  cancellation text collate "C",
  code text collate "C",
  message text collate "C",
  hint text collate "C",
  -- Rises with each change of it or of one of its clusters.
  version bigint not null default 1,
  idempotency_key text collate "C",
  idempotency_digest text collate "C",
  retry_of text collate "C",
  -- How many clusters it has, and in which state they are.
  clusters integer not null,
  waiting integer not null,
  running integer not null default 0,
  succeeded integer not null default 0,
  failed integer not null default 0,
  skipped integer not null default 0,
  created_at timestamptz not null default clock_timestamp(),
  finished_at timestamptz
);

create unique index rollout_idempotency on rollout (requester_uid, idempotency_key) where idempotency_key is not null;
create index rollout_unfinished on rollout (number) where finished_at is null;
create index rollout_finished on rollout (requester_uid, finished_at) where finished_at is not null;

create table rollout_cluster (
  rollout text collate "C" not null references rollout (id) on delete cascade,
  -- The order in which clusters have their turns.
  place integer not null,
  cluster text collate "C" not null,
  -- Which one of those that had the name.
  incarnation uuid not null,
  -- 0: left out.
  wave integer not null,
  state text collate "C" not null,
  command text collate "C",
  code text collate "C",
  message text collate "C",
  hint text collate "C",
  -- That of the rollout when it changed last.
  version bigint not null default 1,
  primary key (rollout, place)
) with (fillfactor = 70);

create unique index rollout_cluster_name on rollout_cluster (rollout, cluster);
create index rollout_cluster_open on rollout_cluster (rollout, state, place) where state in ('waiting', 'running');
create index rollout_cluster_version on rollout_cluster (rollout, version);

-- The rollout that a command is a part of.
alter table command add column rollout text collate "C";
create index command_rollout on command (rollout) where rollout is not null;

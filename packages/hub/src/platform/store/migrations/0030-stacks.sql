-- Stacks: declared resources that depend on each other, each of which is applied by an ordinary command in the cluster that it
-- names. Times are by the clock of the database. Whoever changes a run or one of its steps holds the run's row.
create table stack (
  name text collate "C" primary key,
  -- Who asked for its first run.
  owner text collate "C" not null,
  owner_uid text collate "C" not null,
  created_at timestamptz not null default clock_timestamp()
);

-- What may be in a cluster because a stack asked for it, written before the command for it can be claimed.
create table stack_resource (
  cluster text collate "C" not null,
  target text collate "C" not null,
  stack text collate "C" not null references stack (name),
  -- Of the cluster, among those that had the name.
  incarnation uuid not null,
  -- In the declaration.
  name text collate "C" not null,
  kind text collate "C" not null,
  namespace text collate "C" not null,
  -- The last one by which it was applied. JSON.
  spec text collate "C" not null,
  spec_bytes integer not null,
  -- Places of the resources before it: a cluster, a space and a target each.
  depends_on text[] collate "C" not null,
  -- What was asked for last, and what came of it.
  action text collate "C" not null,
  outcome text collate "C" not null,
  command text collate "C" not null,
  asked_at timestamptz not null default clock_timestamp(),
  -- No two stacks may have it in for the same thing.
  primary key (cluster, target)
);

create index stack_resource_stack on stack_resource (stack);

create table stack_run (
  id text collate "C" primary key,
  number bigserial not null unique,
  stack text collate "C" not null references stack (name),
  action text collate "C" not null,
  requester text collate "C" not null,
  requester_uid text collate "C" not null,
  -- By what his rights are found again when he isn't there. JSON.
  asker text collate "C" not null,
  max_parallel integer,
  state text collate "C" not null,
  -- Who cancelled it.
  by_whom text collate "C",
  cancellation text collate "C",
  -- Rises with each change of it or of one of its steps.
  version bigint not null default 1,
  idempotency_key text collate "C",
  idempotency_digest text collate "C",
  created_at timestamptz not null default clock_timestamp(),
  finished_at timestamptz
);

create unique index stack_run_unfinished on stack_run (stack) where finished_at is null;
create unique index stack_run_idempotency on stack_run (requester_uid, idempotency_key) where idempotency_key is not null;
create index stack_run_newest on stack_run (stack, number desc);

create table stack_step (
  run text collate "C" not null references stack_run (id) on delete cascade,
  place integer not null,
  name text collate "C" not null,
  action text collate "C" not null,
  cluster text collate "C" not null,
  -- Empty: there is no such cluster.
  incarnation uuid,
  kind text collate "C" not null,
  namespace text collate "C" not null,
  target text collate "C" not null,
  -- JSON; empty when the run has ended.
  spec text collate "C",
  spec_bytes integer not null,
  depends_on text[] collate "C" not null,
  -- Places of the steps that must succeed before it.
  after integer[] not null,
  state text collate "C" not null,
  command text collate "C",
  code text collate "C",
  message text collate "C",
  hint text collate "C",
  primary key (run, place)
);

-- The run of a stack that a command is a part of.
alter table command add column stack_run text collate "C";
create index command_stack_run on command (stack_run) where stack_run is not null;

-- Schedules: rollouts that are asked for by the clock. Times are judged by the clock of the database.
create table schedule (
  name text collate "C" primary key,
  -- Another one when the name is given again.
  id text collate "C" not null unique,
  cron text collate "C" not null,
  time_zone text collate "C" not null,
  kind text collate "C" not null,
  -- The rollout that is asked for. JSON.
  request text collate "C" not null,
  missed text collate "C" not null,
  deadline_seconds integer,
  is_paused boolean not null,
  owner text collate "C" not null,
  owner_uid text collate "C" not null,
  -- By what the owner's rights are found again. JSON.
  asker text collate "C" not null,
  -- Empty: never again.
  next_at timestamptz,
  created_at timestamptz not null default clock_timestamp()
);

create index schedule_next on schedule (next_at) where not is_paused;

-- A row is a tick: whoever writes it is the one who lets it happen.
create table schedule_tick (
  schedule text collate "C" not null references schedule (id) on delete cascade,
  at timestamptz not null,
  state text collate "C" not null,
  rollout text collate "C",
  code text collate "C",
  message text collate "C",
  hint text collate "C",
  primary key (schedule, at)
);

create index schedule_tick_due on schedule_tick (at) where state = 'due';

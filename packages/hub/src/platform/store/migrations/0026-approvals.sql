-- Commands whose plan people approve before it is carried out. Hubs of before leave them alone: while they go on, their
-- states have names that those don't know (`gated/queued` …).

-- How many have to approve; empty for those that need nobody.
alter table command add column approvals_required smallint;
alter table command add column approvals_given smallint not null default 0;
-- Who asked for it can't approve it.
alter table command add column four_eyes boolean not null default false;
-- How long its plan may wait for approval.
alter table command add column approval_seconds integer;
alter table command add column approval_until timestamptz;
-- The claim under which it was planned.
alter table command add column plan_epoch bigint;
-- Names what is approved.
alter table command add column plan_digest text collate "C";
-- JSON as it is shown.
alter table command add column plan text collate "C";
alter table command add column plan_bytes integer not null default 0;

create index command_held on command (lease_until) where state in (
  'claimed', 'resolving', 'running',
  'gated/claimed', 'gated/resolving', 'gated/running', 'gated/applying'
);
create index command_approval_until on command (approval_until) where state = 'gated/awaiting-approval';

-- Each person counts once.
create table command_approval (
  command text collate "C" not null references command (id) on delete cascade,
  approver_uid text collate "C" not null,
  approver text collate "C" not null,
  at timestamptz not null default clock_timestamp(),
  comment text collate "C",
  primary key (command, approver_uid)
);

-- What the cluster's agents can do, as the one that asked last said; empty: nobody knows.
alter table command_queue add column can_plan boolean;

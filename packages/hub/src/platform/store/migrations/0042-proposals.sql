-- Proposals: commands of people who may only propose them. Hubs of before leave them alone, since these would sign them as
-- commands that nobody has to hold back: until they end, their states have names that those don't know
-- (`proposed/queued` …).

alter table command add column is_proposal boolean not null default false;
-- Made from a template none of whose parameters chooses code.
alter table command add column is_vouched boolean not null default false;
-- Who asked for it, as JSON, so that their rights can be judged again; empty for commands of hubs of before.
alter table command add column asker text collate "C";
-- Why an agent holds it back, as JSON, and the claim under which it said so.
alter table command add column plan_hold text collate "C";
alter table command add column plan_hold_epoch bigint;
-- Who approved that it is planned: the name, and JSON as above.
alter table command add column plan_approved_by text collate "C";
alter table command add column plan_approver text collate "C";

-- Empty for approvals at hubs of before.
alter table command_approval add column asker text collate "C";

-- What the cluster's agents can do, as the one that asked last said; empty: nobody knows.
alter table command_queue add column can_propose boolean;

-- Whoever offered it may ask for such commands themselves, and no parameter chooses code.
alter table template add column is_vouched boolean not null default false;

-- Uids of those who made it: people, and the robots through which they did.
alter table robot add column made_by text[] not null default '{}';
alter table robot_token add column made_by text[] not null default '{}';

create index command_all_held on command (lease_until) where state in (
  'claimed', 'resolving', 'running',
  'gated/claimed', 'gated/resolving', 'gated/running', 'gated/applying',
  'proposed/claimed', 'proposed/resolving', 'proposed/running', 'proposed/applying'
);
create index command_awaiting on command (approval_until) where state in (
  'gated/awaiting-approval', 'proposed/awaiting-approval', 'proposed/awaiting-plan-approval'
);

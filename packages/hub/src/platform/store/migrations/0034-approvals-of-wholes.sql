-- What parts of rollouts and of runs of stacks wait for: the approval of their command's plan, as people see it. Empty: for none.
alter table rollout_cluster add column approval jsonb;
-- How many of a rollout's clusters wait for one.
alter table rollout add column awaiting integer not null default 0;
alter table stack_step add column approval jsonb;

-- Which approvals a resource's commands need, to be applied and to be destroyed. Empty: none.
alter table stack_step add column approvals jsonb;
alter table stack_resource add column approvals jsonb;

-- What a schedule does at a tick while what an earlier one began is under way.
alter table schedule add column concurrency_policy text collate "C" not null default 'Allow';
-- That was decided: what is left is to begin it.
alter table schedule_tick add column is_admitted boolean not null default false;

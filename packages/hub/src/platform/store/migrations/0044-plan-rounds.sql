-- contract 0026
-- A flow waits for approval again when it comes to a step whose plan wasn't known before. Hubs from 0026 on live with the
-- wider key of approvals: they count a person once for all rounds, so at worst they take an approval less.

-- How many plans of the command people were asked about, with the one that is shown.
alter table command add column plan_round smallint not null default 1;
-- The claim and the digest of the plan that was approved before this one; empty in the first round.
alter table command add column prior_plan_epoch bigint;
alter table command add column prior_plan_digest text collate "C";
-- Its later plan wasn't approved: an agent puts things right, and then this is the outcome.
alter table command add column ends_as text collate "C";

alter table command_approval add column round smallint not null default 1;
alter table command_approval drop constraint command_approval_pkey;
alter table command_approval add primary key (command, round, approver_uid);

-- Whether the cluster's agents plan in rounds, as the one that asked last said; empty: nobody knows.
alter table command_queue add column can_round boolean;

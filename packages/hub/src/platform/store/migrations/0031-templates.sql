-- Templates: commands that somebody has written down for others, who fill in parameters.
create sequence template_revision;

create table template (
  name text collate "C" primary key,
  -- No two templates ever have the same one, also not one that has the name of another that was removed.
  revision integer not null default nextval('template_revision'),
  description text collate "C",
  kind text collate "C" not null,
  -- JSON: in which clusters it may be used; the schema of its parameters; what they are put into; who has to approve.
  clusters text collate "C" not null,
  parameters text collate "C" not null,
  spec text collate "C" not null,
  approvals text collate "C",
  deadline_seconds integer,
  service_account text collate "C",
  changed_by text collate "C" not null,
  changed_at timestamptz not null default clock_timestamp()
);

-- What a command was made of: the template's name, its revision then, and the values as JSON.
alter table command add column template text collate "C";
alter table command add column template_revision integer;
alter table command add column parameters text collate "C";
alter table rollout add column template text collate "C";
alter table rollout add column template_revision integer;

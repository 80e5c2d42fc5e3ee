-- Profiles that people wrote: what a fit cluster is asked for.
create table profile (
  name text collate "C" primary key,
  -- YAML, as it was written.
  content text collate "C" not null,
  changed_by text collate "C" not null,
  changed_at timestamptz not null default clock_timestamp()
);

-- Which profile a cluster is examined by. One without a row is examined by `fairlead`, with generation 0.
create table profile_choice (
  cluster text collate "C" primary key references cluster (name) on delete cascade,
  -- Also of those that come with Fairlead.
  profile text collate "C" not null,
  -- Rises with each change of the choice, and of the chosen profile.
  generation bigint not null,
  changed_by text collate "C" not null,
  changed_at timestamptz not null default clock_timestamp()
);

create index profile_choice_profile on profile_choice (profile);

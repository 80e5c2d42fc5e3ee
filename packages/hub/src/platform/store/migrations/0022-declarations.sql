-- What the files of `--declarations` have brought about, so that the hub knows what it may take away again when it isn't
-- declared any more, and what nobody may change by the API.
create table declaration (
  kind text collate "C" not null,
  name text collate "C" not null,
  file text collate "C" not null,
  -- Of a cluster that isn't declared any more: it stays with what is known of it, and its agents aren't let in.
  withdrawn_at timestamptz,
  primary key (kind, name)
);

-- Which content of the files is in force, and since when: of several hubs one may have an older one.
create table declaration_set (
  id boolean primary key default true check (id),
  digest text collate "C" not null,
  applied_at timestamptz not null
);

-- What agents do where the hub's applications meet those of a cluster, and from when on deletions wait for a person.
alter table gitops_settings
  add column on_uid_mismatch text collate "C" not null default 'recreate',
  add column adoption text collate "C" not null default 'always',
  add column on_recreate text collate "C" not null default 'ignore',
  add column create_namespaces boolean not null default false,
  add column guard_percent integer not null default 20,
  add column guard_min integer not null default 5;

-- Deletions of a cluster's applications that wait for a confirmation, as the hub that owns its sync wrote them down.
create table gitops_guard (
  cluster text collate "C" primary key references cluster (name) on delete cascade,
  -- Of the owner. One with a lower term writes nothing.
  owner_term bigint not null,
  -- [{ uid, name, leftAt }]; at most 5,000.
  held jsonb not null,
  -- Of the uids that are held; empty: none are.
  digest text collate "C" not null,
  held_since timestamptz,
  -- Uids that were let go and that the cluster may still have.
  let_go jsonb not null,
  -- Uids that were confirmed, written by whichever hub was asked. The owner moves them to `let_go`.
  confirmed jsonb not null default '[]',
  confirmed_at timestamptz,
  confirmed_by text collate "C"
);

-- How the exchange with a cluster stands, told by the hub that owns it, a few seconds old at most while something changes.
create table gitops_status (
  cluster text collate "C" primary key references cluster (name) on delete cascade,
  owner_term bigint not null,
  hub text collate "C" not null,
  since timestamptz not null,
  told_at timestamptz not null,
  flows jsonb not null
);

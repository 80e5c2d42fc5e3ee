-- How the hub and each cluster exchange Argo CD applications. A cluster without a row exchanges none.
create table gitops_settings (
  cluster text collate "C" primary key references cluster (name) on delete cascade,
  mode text collate "C" not null,
  mapping text collate "C" not null,
  -- Grows with each change.
  generation bigint not null,
  updated_at timestamptz not null,
  updated_by text collate "C" not null
);

-- By which objects in clusters are known as this hub's, also when another hub on the same database writes them.
create table gitops_hub (
  is_only boolean primary key default true check (is_only),
  uid text collate "C" not null default gen_random_uuid()::text
);

insert into gitops_hub default values;

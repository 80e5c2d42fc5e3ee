-- Argo CD's objects, where the hub keeps them itself.
create table gitops_object (
  kind text collate "C" not null,
  namespace text collate "C" not null,
  name text collate "C" not null,
  uid text collate "C" not null,
  -- The value of the counter `gitops-objects` with the newest write: whoever raises it holds its row until the commit, so
  -- that a reader never passes a revision that commits later.
  revision bigint not null,
  -- JSON without the resource version, which is the revision; of repositories encrypted.
  body text collate "C" not null,
  -- Of the JSON, in bytes.
  size_bytes integer not null,
  primary key (namespace, kind, name)
);
create index gitops_object_revision on gitops_object (revision);

-- What was deleted of late, for those who follow.
create table gitops_object_gone (
  uid text collate "C" primary key,
  kind text collate "C" not null,
  namespace text collate "C" not null,
  name text collate "C" not null,
  revision bigint not null,
  gone_at timestamptz not null
);
create index gitops_object_gone_revision on gitops_object_gone (revision);

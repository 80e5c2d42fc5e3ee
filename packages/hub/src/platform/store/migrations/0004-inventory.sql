-- The hub's copy of what is in clusters.

create table inventory_cluster (
  cluster text collate "C" primary key references cluster (name) on delete cascade,
  -- UID of the namespace kube-system that the copy is of.
  kube_system_uid text collate "C" not null,
  -- Of the Lease of the cluster's observers: an agent with a lower one no longer leads.
  lease_epoch bigint not null default 0,
  -- Of another cluster that answers under this name and waits to be confirmed.
  replacement_uid text collate "C"
);

create table inventory_kind (
  cluster text collate "C" not null references inventory_cluster (cluster) on delete cascade,
  -- `pods`, `deployments.apps`: resource and group.
  kind text collate "C" not null,
  api_group text collate "C" not null,
  api_version text collate "C" not null,
  resource text collate "C" not null,
  kind_name text collate "C" not null,
  namespaced boolean not null,
  short_names text[] collate "C" not null default '{}',
  -- listing, comparing, synced, unavailable
  state text collate "C" not null,
  state_since timestamptz not null,
  code text collate "C",
  message text collate "C",
  -- additionalPrinterColumns of a CRD.
  printer_columns jsonb,
  -- When the copy was last known to be what the cluster has.
  verified_at timestamptz,
  primary key (cluster, kind)
);

-- Never goes back, whatever is purged: clients go on from a revision.
create sequence inventory_revision;

-- Without a foreign key, which would be looked up for every row: the inventory deletes what is left of a cluster.
create table inventory_object (
  cluster text collate "C" not null,
  kind text collate "C" not null,
  uid text collate "C" not null,
  namespace text collate "C" not null,
  name text collate "C" not null,
  -- FNV-1a-32 of the uid, as a signed integer.
  bucket integer not null,
  -- First eight bytes of the SHA-256 of what the agent sent, as a signed integer.
  version bigint not null,
  -- Rises with every change that the hub keeps, over all clusters; one per object.
  revision bigint not null,
  labels jsonb not null,
  -- UIDs of its ownerReferences.
  owners text[] collate "C" not null,
  -- Healthy, Progressing, Degraded, Suspended, Missing, Unknown; null where health means nothing.
  health text collate "C",
  health_message text collate "C",
  created_at timestamptz not null,
  -- When the hub got the newest change, and what it was: created (then at its creation), updated (its generation or labels
  -- or, where it has no generation, anything but its status), status, deleted, forgotten (it isn't observed any more).
  changed_at timestamptz not null,
  change text collate "C" not null,
  -- When what was wanted of it last changed: creation and `updated`, not `status`.
  spec_changed_at timestamptz not null,
  health_changed_at timestamptz,
  deleted_at timestamptz,
  -- The agent cut it, because it was too large.
  is_cut boolean not null default false,
  -- Hash of what tells `updated` from `status`.
  wanted bigint not null default 0,
  -- Of pods and nodes, what sums over a cluster are made of: CPU in thousandths, memory in bytes.
  usage jsonb,
  body jsonb not null,
  primary key (cluster, kind, uid)
);

create unique index inventory_object_revision on inventory_object (revision);
create index inventory_object_name on inventory_object (kind, namespace, name, cluster) where deleted_at is null;
create index inventory_object_labels on inventory_object using gin (labels jsonb_path_ops) where deleted_at is null;
create index inventory_object_owners on inventory_object using gin (owners) where deleted_at is null and owners <> '{}';
create index inventory_object_changed on inventory_object (changed_at);
create index inventory_object_deleted on inventory_object (deleted_at) where deleted_at is not null;

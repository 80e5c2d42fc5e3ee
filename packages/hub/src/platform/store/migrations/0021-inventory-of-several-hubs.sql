-- Who reports the objects of a cluster, to which hub, and how well its copy is in step. Where several hubs share the
-- database this row decides: only what is written under its fence counts, and other hubs read from it how old the copy is.
-- Times are by the clock of the database. A row is changed only by whoever holds the counter `inventory-reports`.
create table inventory_report (
  cluster text collate "C" primary key references cluster (name) on delete cascade,
  -- Rises with each beginning, and is never used again, also when the name is given to another cluster: microseconds.
  fence bigint not null,
  hub text collate "C" not null,
  agent text collate "C" not null,
  lease_epoch bigint not null,
  started_at timestamptz not null,
  heard_at timestamptz not null,
  -- Null while the report goes on.
  ended_at timestamptz,
  end_reason text collate "C",
  pending_changes integer not null default 0,
  oldest_pending_at timestamptz,
  -- Another one after each change of the cluster's kinds.
  kinds_mark text collate "C" not null default '',
  -- In the order of the kinds' names, how many milliseconds before `heard_at` each was verified; -1: never.
  ages integer[] not null default '{}',
  -- By kind, why some of its objects aren't kept.
  refusals jsonb,
  -- What the reporting hub takes the copy's share of the store for.
  used_objects bigint,
  used_bytes bigint,
  -- The value of the counter `inventory-reports` with the newest change.
  revision bigint not null
) with (fillfactor = 50);

-- The lock of those who give out revisions, then which of the clusters are still reported under these fences. Each of the
-- two sees what was committed before it, while the statement that calls sees what was when it began.
create function inventory_held(clusters text[], fences bigint[]) returns setof text language plpgsql as $$ begin
  perform pg_advisory_xact_lock(7597139799437504370); return query
  select r.cluster from inventory_report r join unnest(clusters, fences) f (cluster, fence)
  on r.cluster = f.cluster and r.fence = f.fence; end
$$;

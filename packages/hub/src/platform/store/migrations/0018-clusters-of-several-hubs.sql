-- Several hubs keep clusters in memory, and each reads what the others changed. `revision` is the transaction that changed
-- a row last; `last_seen_at` alone is no change, as it is written each minute. Transactions end in any order, so a reader
-- goes on from the oldest that was under way when it read, and reads a few rows twice.
alter table cluster add column revision bigint default 0;

create function cluster_changed() returns trigger language plpgsql as $$ begin
  new.revision := pg_current_xact_id()::text::bigint; return new; end
$$;

create trigger cluster_inserted before insert on cluster
  for each row execute function cluster_changed();

create trigger cluster_updated before update on cluster
  for each row when (old.version is distinct from new.version) execute function cluster_changed();

create index cluster_revision on cluster (revision);

-- Clusters that were removed, for hubs that haven't heard of it yet.
create table cluster_removal (
  incarnation uuid primary key,
  name text collate "C" not null,
  revision bigint not null,
  removed_at timestamptz not null
);
create index cluster_removal_revision on cluster_removal (revision);

create function cluster_removed() returns trigger language plpgsql as $$ begin
  delete from cluster_removal where incarnation in (
    select incarnation from cluster_removal where removed_at < now() - interval '30 days' for update skip locked
  ); insert into cluster_removal (incarnation, name, revision, removed_at)
  values (old.incarnation, old.name, pg_current_xact_id()::text::bigint, now()) on conflict do nothing; return null; end
$$;

create trigger cluster_removed after delete on cluster
  for each row execute function cluster_removed();

-- The keys by which hubs know each other's challenges for agents, one for each day.
create table link_challenge_key (
  day bigint primary key,
  secret bytea not null
);

-- Challenges that an agent has answered, until they would have ended anyway.
create table link_proof (
  nonce text collate "C" primary key,
  cluster text collate "C" not null references cluster (name) on delete cascade,
  ends_at timestamptz not null
);
create index link_proof_cluster on link_proof (cluster);
create index link_proof_end on link_proof (ends_at);

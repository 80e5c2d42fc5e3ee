-- The tables of version 0.1, by wing and room of the hub.
--
-- Texts are compared by their bytes, whatever the database's own collation is: the order is the same everywhere, and indexes
-- outlast an update of the system's locales. Of tokens only SHA-256 hashes are stored. Columns named `…_at` are by the
-- database's clock where several hubs compare them.

-- platform/changes: several hubs share one database.

-- Each transaction that changes something of a topic raises its counter, so that a hub sees by one short question what it
-- has to read again. The transaction holds the row until its commit: the order of values is the order of commits.
create table change_counter (
  topic text collate "C" primary key,
  value bigint not null
);

-- platform/leases: what only one hub may do at a time.

-- `fence` rises whenever a hub takes the lease and is never used again, so a row stays when its lease is free.
create table lease (
  name text collate "C" primary key,
  holder text collate "C" not null,
  fence bigint not null,
  expires_at timestamptz not null
);

-- platform/pki: the certificate authorities of hubs that share this database.

-- A retired authority stays without its keys, so that a data folder that still has it is known to be of the same hubs.
create table authority (
  fingerprint text collate "C" primary key,
  state text collate "C" not null check (state in ('current', 'coming', 'retired')),
  certificate_pem text collate "C" not null
);
create unique index authority_state on authority (state) where state <> 'retired';

-- An authority's private key, never in plain: encrypted once by each key encryption key that some hub still uses.
-- `replaced_by` names the key that follows: hubs that have only that one don't need this row any more.
create table authority_key (
  authority text collate "C" not null references authority (fingerprint) on delete cascade,
  key_id text collate "C" not null,
  sealed_key text collate "C" not null check (sealed_key not like '%PRIVATE KEY%'),
  replaced_by text collate "C",
  primary key (authority, key_id)
);

-- platform/declarations: what the files of `--declarations` have brought about.

-- By these rows the hub knows what it may remove when it isn't declared any more, and what nobody may change by the API.
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

-- people/access: who may use the hub.

create table admin_token (
  id text collate "C" primary key,
  name text collate "C" not null,
  secret_sha256 text collate "C" not null,
  created_at timestamptz not null,
  -- Until somebody has used the admin token of the first start, each start makes another one.
  used_at timestamptz,
  -- `fairlead-hub admin-token new` makes tokens and ends others beside a hub, which records both in the audit when it sees
  -- them, at `recorded_at`. A token that ended stays, so that no start takes the hub for a new one.
  by_command boolean not null default false,
  revoked_at timestamptz,
  revoked_by text collate "C",
  recorded_at timestamptz,
  -- When the hub that showed the first admin's token last said that it lives. Meanwhile no other hub on the database
  -- replaces the token.
  shown_at timestamptz
);

-- Sign-ins through the identity provider make these rows. The provider's `issuer` and `subject` say who it is; bindings and
-- clusters know the name.
--
-- Hubs keep users and sessions in memory, and read again what changed since they last looked: `changed_xid` is the
-- transaction that wrote the row. Whatever a snapshot didn't see yet is of a transaction that isn't before its xmin, so a
-- reader who goes on from there misses nothing, in whatever order others commit.
create table access_user (
  uid text collate "C" primary key,
  name text collate "C" not null unique,
  issuer text collate "C" not null,
  subject text collate "C" not null,
  groups text[] collate "C" not null,
  created_at timestamptz not null,
  signed_in_at timestamptz not null,
  changed_xid bigint not null default (pg_current_xact_id()::text::bigint),
  unique (issuer, subject)
);
create index access_user_changed on access_user (changed_xid);

create table robot (
  name text collate "C" primary key,
  uid text collate "C" not null unique,
  description text collate "C",
  ttl_ms bigint not null,
  created_at timestamptz not null,
  -- Uids of those who made it: people, and the robots through which they did.
  made_by text[] not null default '{}'
);

create table robot_token (
  id text collate "C" primary key,
  robot text collate "C" not null references robot (name) on delete cascade,
  secret_sha256 text collate "C" not null unique,
  scope jsonb,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  last_used_at timestamptz,
  made_by text[] not null default '{}',
  -- The robot's token with which it was made: it ends with that one.
  parent text collate "C" references robot_token (id) on delete cascade deferrable initially deferred
);
create index robot_token_robot on robot_token (robot);
create index robot_token_parent on robot_token (parent) where parent is not null;

create table session (
  id text collate "C" primary key,
  kind text collate "C" not null,
  name text collate "C" not null,
  uid text collate "C" not null,
  groups text[] collate "C" not null,
  method text collate "C" not null,
  -- The long-lived token that the session began with.
  token_id text collate "C",
  scope jsonb,
  remote_address text collate "C",
  created_at timestamptz not null,
  refreshed_at timestamptz not null,
  ends_at timestamptz not null,
  -- The identity provider's own name for the sign-in there (`sid` of the ID token), by which it says that it is over.
  oidc_sid text collate "C",
  changed_xid bigint not null default (pg_current_xact_id()::text::bigint)
);
create index session_name on session (name);
create index session_changed on session (changed_xid);

-- Used refresh tokens stay until their session ends: seeing one again means that it was stolen.
create table session_token (
  secret_sha256 text collate "C" primary key,
  session_id text collate "C" not null references session (id) on delete cascade,
  kind text collate "C" not null,
  expires_at timestamptz not null,
  used_at timestamptz,
  -- The order of a session's tokens: the oldest are forgotten when there are very many.
  created_at timestamptz not null default now()
);
create index session_token_session on session_token (session_id);

-- Sessions that ended before their time, until that time: then every hub has forgotten them by itself.
create table session_end (
  id text collate "C" primary key,
  ends_at timestamptz not null,
  changed_xid bigint not null default (pg_current_xact_id()::text::bigint)
);
create index session_end_changed on session_end (changed_xid);

-- Sign-ins by the identity provider that are in progress: in the browser (`flow`), with a login code on its way to the
-- program that began (`code`), and with a code typed elsewhere (`device`). Whoever comes back brings a secret of which only
-- the hash is here, and `sealed` is encrypted by a key made of that secret. Issuer, subject and sid of a code tell whose it
-- is when the provider signs somebody out.
create table oidc_waiting (
  secret_sha256 text collate "C" primary key,
  kind text collate "C" not null,
  sealed bytea not null,
  ends_at timestamptz not null,
  issuer text collate "C",
  subject text collate "C",
  sid text collate "C",
  interval_ms integer,
  next_at timestamptz
);
create index oidc_waiting_ends on oidc_waiting (kind, ends_at);

-- Logout tokens that the hub took, by a hash of their issuer and id, until they expire. A token that wasn't done with after
-- a while may come again: its hub died.
create table oidc_logout (
  id_sha256 text collate "C" primary key,
  ends_at timestamptz not null,
  taken_at timestamptz not null,
  is_done boolean not null
);
create index oidc_logout_ends on oidc_logout (ends_at);

-- Built-in roles are not in here.
create table access_role (
  name text collate "C" primary key,
  rules jsonb not null
);

create table access_binding (
  id text collate "C" primary key,
  subject_kind text collate "C" not null,
  subject_name text collate "C" not null,
  role text collate "C" not null,
  clusters jsonb not null,
  record boolean not null,
  created_at timestamptz not null,
  created_by text collate "C" not null,
  -- Null: the binding stays until somebody removes it.
  ends_at timestamptz,
  reason text collate "C",
  -- The request that it grants.
  request text collate "C"
);

-- Requests for a role for a time. `state` is a tagged union; `state_kind` is its tag.
create table access_request (
  id text collate "C" primary key,
  requester_uid text collate "C" not null,
  requester_name text collate "C" not null,
  role text collate "C" not null,
  clusters jsonb not null,
  ttl_ms bigint not null,
  reason text collate "C" not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  state_kind text collate "C" not null,
  state jsonb not null,
  -- Null while it is pending.
  ended_at timestamptz
);
create index access_request_requester on access_request (requester_uid, created_at);
create index access_request_state on access_request (state_kind, created_at);

-- people/audit: what was asked, by whom.

-- Records are kept in blocks: one row for what came within a moment, a record a line (JSON), compressed with Zstandard.
-- `users` and `clusters` are those that the lines name, to find them without reading all. These two tables have the one
-- chain of a hub that has the database for itself.
create table audit_block (
  first_seq bigint primary key,
  last_seq bigint not null,
  first_at timestamptz not null,
  last_at timestamptz not null,
  users text[] collate "C" not null,
  clusters text[] collate "C" not null,
  last_hash text collate "C" not null,
  lines bytea not null
);
alter table audit_block alter column lines set storage external;
create index audit_block_time on audit_block (last_at, first_at);

-- The chain's newest record, and the newest of those that were deleted because of their age.
create table audit_head (
  id integer primary key check (id = 1),
  last_seq bigint not null,
  last_hash text collate "C" not null,
  anchor_seq bigint not null,
  anchor_hash text collate "C" not null
);
insert into audit_head (id, last_seq, last_hash, anchor_seq, anchor_hash)
values (1, 0, repeat('0', 64), 0, repeat('0', 64));

-- Of several hubs on this database each writes a chain of its own.
create table audit_chain (
  chain text collate "C" primary key check (chain <> ''),
  hub text collate "C" not null,
  last_seq bigint not null,
  last_hash text collate "C" not null,
  last_at timestamptz not null,
  -- The newest record that isn't about other chains alone: hubs that only name each other's heads would go on for ever.
  act_seq bigint not null,
  anchor_seq bigint not null,
  anchor_hash text collate "C" not null
);

create table audit_chain_block (
  chain text collate "C" not null,
  first_seq bigint not null,
  last_seq bigint not null,
  first_at timestamptz not null,
  last_at timestamptz not null,
  users text[] collate "C" not null,
  clusters text[] collate "C" not null,
  last_hash text collate "C" not null,
  lines bytea not null,
  primary key (chain, first_seq)
);
alter table audit_chain_block alter column lines set storage external;
-- The records of all chains are read by their time.
create index audit_chain_block_time on audit_chain_block (last_at, first_at);

-- people/recordings: exec and attach sessions.

create table recording (
  seq bigint generated always as identity primary key,
  request_id text collate "C" not null,
  at timestamptz not null,
  principal text collate "C" not null,
  cluster text collate "C" not null,
  namespace text collate "C" not null,
  pod text collate "C" not null,
  container text collate "C",
  kind text collate "C" not null,
  state text collate "C" not null,
  reason text collate "C",
  size_bytes bigint not null,
  duration_ms double precision,
  -- A hub that has its database alone keeps what was on the screens in this file of its data folder.
  file text collate "C" not null,
  -- Of several hubs each can show what any of them recorded, so the content is in `recording_piece`.
  in_pieces boolean not null default false,
  -- When the hub of a running session last said that it records.
  alive_at timestamptz
);
create index recording_request on recording (request_id);
create index recording_at on recording (at);
create index recording_running on recording (alive_at) where state = 'running';

create table recording_piece (
  recording bigint not null references recording (seq) on delete cascade,
  number integer not null,
  bytes bytea not null check (octet_length(bytes) <= 262144),
  primary key (recording, number)
);
-- The bytes are compressed already.
alter table recording_piece alter column bytes set storage external;

-- reach/clusters: the registry.

create table cluster (
  name text collate "C" primary key,
  labels jsonb not null,
  roles text[] collate "C" not null,
  -- Grows with each revocation: join tokens and identities of an older epoch are revoked.
  epoch integer not null default 0,
  created_at timestamptz not null,
  revoked_at timestamptz,
  revoked_reason text collate "C",
  last_seen_at timestamptz,
  last_lost_at timestamptz,
  kubernetes_version text collate "C",
  -- Which cluster the name means: UID of the namespace kube-system, as it was first said or confirmed.
  kube_system_uid text collate "C",
  agent_version text collate "C",
  clock_skew_ms bigint,
  -- Of another cluster that answers under this name and waits to be confirmed.
  replacement_uid text collate "C",
  -- Answers of several connections come in any order: the version says which of two is newer, and the incarnation whether
  -- both are of the same cluster, since a name may be given again.
  version bigint not null default 0,
  incarnation uuid not null default gen_random_uuid(),
  -- The transaction that changed the row last; `last_seen_at` alone is no change, as it is written each minute. Hubs keep
  -- clusters in memory and read what others changed. Transactions end in any order, so a reader goes on from the oldest one
  -- that was in progress when it read, and reads a few rows twice.
  revision bigint default 0
);
create index cluster_revision on cluster (revision);

create function cluster_changed() returns trigger language plpgsql as $$
begin
  new.revision := pg_current_xact_id()::text::bigint;
  return new;
end
$$;

create trigger cluster_inserted before insert on cluster
  for each row execute function cluster_changed();

create trigger cluster_updated before update on cluster
  for each row when (old.version is distinct from new.version) execute function cluster_changed();

-- Clusters that were removed, for hubs that haven't heard of it yet.
create table cluster_removal (
  incarnation uuid primary key,
  name text collate "C" not null,
  revision bigint not null,
  removed_at timestamptz not null
);
create index cluster_removal_revision on cluster_removal (revision);

create function cluster_removed() returns trigger language plpgsql as $$
begin
  delete from cluster_removal where incarnation in (
    select incarnation from cluster_removal where removed_at < now() - interval '30 days' for update skip locked
  );
  insert into cluster_removal (incarnation, name, revision, removed_at)
  values (old.incarnation, old.name, pg_current_xact_id()::text::bigint, now()) on conflict do nothing;
  return null;
end
$$;

create trigger cluster_removed after delete on cluster
  for each row execute function cluster_removed();

create table cluster_event (
  id bigint generated always as identity primary key,
  cluster text collate "C" not null references cluster (name) on delete cascade,
  at timestamptz not null,
  level text collate "C" not null,
  type text collate "C" not null,
  message text collate "C" not null
);
create index cluster_event_newest on cluster_event (cluster, id desc);

-- Alarms stay until someone has seen them, however many events come after. Equal ones are one row.
create table cluster_alarm (
  id text collate "C" primary key default gen_random_uuid()::text,
  cluster text collate "C" not null references cluster (name) on delete cascade,
  type text collate "C" not null,
  -- The hash of the message, or empty for the row that sums up all alarms of a type beyond the limit.
  key text collate "C" not null,
  message text collate "C" not null,
  first_at timestamptz not null,
  last_at timestamptz not null,
  count bigint not null,
  unique (cluster, type, key)
);

-- reach/identity: join tokens and certificates of agents.

-- When each epoch ended.
create table cluster_revocation (
  cluster text collate "C" not null references cluster (name) on delete cascade,
  epoch integer not null,
  revoked_at timestamptz not null,
  primary key (cluster, epoch)
);

create table join_token (
  id text collate "C" primary key,
  cluster text collate "C" not null references cluster (name) on delete cascade,
  roles text[] collate "C" not null,
  epoch integer not null,
  secret_sha256 text collate "C" not null,
  created_at timestamptz not null,
  expires_at timestamptz not null
);
create index join_token_cluster on join_token (cluster);

create table identity (
  serial text collate "C" primary key,
  cluster text collate "C" not null references cluster (name) on delete cascade,
  roles text[] collate "C" not null,
  epoch integer not null,
  key_thumbprint text collate "C" not null,
  certificate_pem text collate "C" not null,
  issued_at timestamptz not null,
  not_after timestamptz not null,
  -- The fingerprint of the certificate authority that signed it, which matters while one follows another.
  issuer text collate "C",
  -- When the agent said that it has the certificate, or showed it. Until then it may still use an older one of the same key.
  confirmed_at timestamptz
);
create index identity_cluster on identity (cluster, issued_at desc);

-- The primary key makes a join token one-time: each of its roles goes to one key, whoever comes first.
create table join_claim (
  token_id text collate "C" not null references join_token (id) on delete cascade,
  role text collate "C" not null,
  key_thumbprint text collate "C" not null,
  serial text collate "C" references identity (serial) on delete set null,
  primary key (token_id, role)
);

-- reach/links: how agents prove who they are.

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

-- reach/hubs: the hubs that share this database, and the links of agents that each of them holds.

-- A hub that hasn't renewed its row for six seconds, by the database's clock, is taken for dead and its row removed.
create table hub (
  id text collate "C" primary key,
  address text collate "C" not null,
  version text collate "C" not null,
  started_at timestamptz not null,
  heartbeat_at timestamptz not null,
  -- The newest migration that the hub knows.
  schema_version integer not null
);

-- A link that ended stays for a minute, so that hubs which read by revision hear of it.
create table hub_link (
  id text collate "C" primary key,
  hub text collate "C" not null references hub (id) on delete cascade,
  cluster text collate "C" not null,
  -- The counter of the topic `links` in the transaction that wrote the row.
  revision bigint not null,
  ended_at timestamptz,
  facts jsonb not null
);
create index hub_link_hub on hub_link (hub);
create index hub_link_revision on hub_link (revision);

-- picture/inventory: the hub's copy of what is in clusters.

create table inventory_cluster (
  cluster text collate "C" primary key references cluster (name) on delete cascade,
  -- UID of the namespace kube-system that the copy is of.
  kube_system_uid text collate "C" not null,
  -- Of the Lease of the cluster's observers: an agent with a lower one no longer leads.
  lease_epoch bigint not null default 0
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
-- Lists of one kind by age.
create index inventory_object_created on inventory_object (kind, created_at) where deleted_at is null;

-- How many objects there are, so that nobody has to look at each of them. Deleted objects don't count; a row that came down
-- to none stays until the next tidying up.
create table inventory_count (
  cluster text collate "C" not null,
  kind text collate "C" not null,
  -- Null: over all namespaces.
  namespace text collate "C",
  -- Null: of those that have none.
  health text collate "C",
  objects bigint not null,
  unique nulls not distinct (cluster, kind, namespace, health)
);
create index inventory_count_overall on inventory_count (cluster, kind) where namespace is null;

-- The database keeps the counts, once per statement: whatever changes objects changes counts, or neither is changed. Most
-- statements leave most counts as they were, so the triggers find first what differs; an `insert … on conflict` calls for
-- inserted rows and for updated ones, also when there are none.
create function inventory_count_inserted() returns trigger language plpgsql as $$
begin
  if exists (select from new_rows) then
    insert into inventory_count as c (cluster, kind, namespace, health, objects)
    select cluster, kind, namespace, health, sum(n) from (
      select cluster, kind, namespace, health, count(*) as n from new_rows where deleted_at is null group by 1, 2, 3, 4
    ) changed
    group by grouping sets ((cluster, kind, namespace, health), (cluster, kind, health)) having sum(n) <> 0
    on conflict (cluster, kind, namespace, health) do update set objects = c.objects + excluded.objects;
  end if;
  return null;
end
$$;

-- The plan is made once, for as many rows as come first, and for hundreds sorting takes twice as long as hashing.
create function inventory_count_updated() returns trigger language plpgsql set enable_sort = off as $$
begin
  if exists (select from new_rows) then
    insert into inventory_count as c (cluster, kind, namespace, health, objects)
    select cluster, kind, namespace, health, sum(n) from (
      select cluster, kind, namespace, health, sum(n) as n from (
        select cluster, kind, namespace, health, 1 as n from new_rows where deleted_at is null
        union all
        select cluster, kind, namespace, health, -1 from old_rows where deleted_at is null
      ) row group by 1, 2, 3, 4 having sum(n) <> 0
    ) changed
    group by grouping sets ((cluster, kind, namespace, health), (cluster, kind, health)) having sum(n) <> 0
    on conflict (cluster, kind, namespace, health) do update set objects = c.objects + excluded.objects;
  end if;
  return null;
end
$$;

create function inventory_count_deleted() returns trigger language plpgsql as $$
begin
  insert into inventory_count as c (cluster, kind, namespace, health, objects)
  select cluster, kind, namespace, health, sum(n) from (
    select cluster, kind, namespace, health, -count(*) as n from old_rows where deleted_at is null group by 1, 2, 3, 4
  ) changed
  group by grouping sets ((cluster, kind, namespace, health), (cluster, kind, health)) having sum(n) <> 0
  on conflict (cluster, kind, namespace, health) do update set objects = c.objects + excluded.objects;
  return null;
end
$$;

create trigger inventory_count_inserted after insert on inventory_object
  referencing new table as new_rows
  for each statement execute function inventory_count_inserted();

create trigger inventory_count_updated after update on inventory_object
  referencing old table as old_rows new table as new_rows
  for each statement execute function inventory_count_updated();

create trigger inventory_count_deleted after delete on inventory_object
  referencing old table as old_rows
  for each statement execute function inventory_count_deleted();

-- Who reports the objects of a cluster, to which hub, and how well its copy is in step. Where several hubs share the
-- database this row decides: only what is written under its fence counts, and other hubs read from it how old the copy is.
-- A row is changed only by whoever holds the counter `inventory-reports`.
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

-- Takes the lock of those who give out revisions, then says which of the clusters are still reported under these fences.
-- Each of the two sees what was committed before it, while the statement that calls sees what was when it began.
create function inventory_held(clusters text[], fences bigint[]) returns setof text language plpgsql as $$
begin
  perform pg_advisory_xact_lock(7597139799437504370);
  return query select r.cluster from inventory_report r join unnest(clusters, fences) f (cluster, fence)
    on r.cluster = f.cluster and r.fence = f.fence;
end
$$;

-- picture/profiles: what a fit cluster is asked for.

-- Profiles that people wrote.
create table profile (
  name text collate "C" primary key,
  -- YAML, as it was written.
  content text collate "C" not null,
  changed_by text collate "C" not null,
  changed_at timestamptz not null default clock_timestamp()
);

-- Which profile a cluster is examined by. A cluster without a row is examined by `fairlead`, with generation 0.
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

-- work/commands: what clusters are asked to do.

-- Commands outlive their cluster, whose name they keep, until their retention is over.
create table command (
  id text collate "C" primary key,
  -- The order in which commands were asked for; within a cluster also the order of their commits.
  number bigserial not null unique,
  cluster text collate "C" not null,
  -- Which one of those that had the name.
  incarnation uuid not null,
  -- UID of its kube-system; empty if nobody knew that then.
  cluster_uid text collate "C",
  kind text collate "C" not null,
  target text collate "C" not null,
  namespace text collate "C" not null,
  dry_run boolean not null,
  -- JSON as it is signed.
  spec text collate "C" not null,
  spec_bytes integer not null,
  requester text collate "C" not null,
  requester_uid text collate "C" not null,
  idempotency_key text collate "C",
  -- Of the request that came with the key, so that another one under it is told from the same one.
  idempotency_digest text collate "C",
  retry_of text collate "C",
  -- `traceparent` of the span that it was submitted in; null where nothing is traced.
  trace_parent text collate "C",
  priority smallint not null,
  created_at timestamptz not null default clock_timestamp(),
  deadline_at timestamptz not null,
  -- `gated/…` and `proposed/…` for commands that need approval.
  state text collate "C" not null,
  -- Counts claims; what is said under a lower one than the newest doesn't count.
  epoch bigint not null default 0,
  claimed_by text collate "C",
  -- Until then nobody else may claim it; of a queued one: when its last claim was over.
  lease_until timestamptz,
  -- The highest sequence of the reports under the epoch.
  reported bigint not null default 0,
  -- Claims that ended without a word of the agent.
  lapses integer not null default 0,
  cancellation text collate "C",
  code text collate "C",
  message text collate "C",
  hint text collate "C",
  result text collate "C",
  result_bytes integer not null default 0,
  -- What the agent said that the whole log has.
  log_end bigint,
  finished_at timestamptz,
  -- How many have to approve its plan before it is carried out; empty for a command that needs nobody.
  approvals_required smallint,
  approvals_given smallint not null default 0,
  -- Who asked for it can't approve it.
  four_eyes boolean not null default false,
  -- How long its plan may wait for approval.
  approval_seconds integer,
  approval_until timestamptz,
  -- The claim under which it was planned.
  plan_epoch bigint,
  -- Names what is approved.
  plan_digest text collate "C",
  -- JSON as it is shown.
  plan text collate "C",
  plan_bytes integer not null default 0,
  -- The rollout that the command is a part of.
  rollout text collate "C",
  -- With whose rights it runs, NAMESPACE/NAME; empty: with the agent's own.
  service_account text collate "C",
  -- The run of a stack that the command is a part of.
  stack_run text collate "C",
  -- What the command was made of: the template's name, its revision then, and the values as JSON.
  template text collate "C",
  template_revision integer,
  parameters text collate "C",
  -- Asked for by somebody who may only propose.
  is_proposal boolean not null default false,
  -- Made from a template none of whose parameters chooses code.
  is_vouched boolean not null default false,
  -- Who asked for it, as JSON, so that their rights can be judged again.
  asker text collate "C" not null,
  -- Why an agent holds it back, as JSON, and the claim under which it said so.
  plan_hold text collate "C",
  plan_hold_epoch bigint,
  -- Who approved that it is planned: the name, and JSON as above.
  plan_approved_by text collate "C",
  plan_approver text collate "C",
  -- How many plans of the command people were asked about, with the one that is shown: a flow waits for approval again when
  -- it comes to a step whose plan wasn't known before.
  plan_round smallint not null default 1,
  -- The claim and the digest of the plan that was approved before this one; empty in the first round.
  prior_plan_epoch bigint,
  prior_plan_digest text collate "C",
  -- A later plan of the command wasn't approved: an agent puts things right, and then this is the outcome.
  ends_as text collate "C"
) with (fillfactor = 70);
create unique index command_idempotency on command (requester_uid, idempotency_key) where idempotency_key is not null;
create index command_unfinished on command (cluster, target, number) where finished_at is null;
create index command_held on command (lease_until) where state in (
  'claimed', 'resolving', 'running',
  'gated/claimed', 'gated/resolving', 'gated/running', 'gated/applying',
  'proposed/claimed', 'proposed/resolving', 'proposed/running', 'proposed/applying'
);
create index command_awaiting on command (approval_until) where state in (
  'gated/awaiting-approval', 'proposed/awaiting-approval', 'proposed/awaiting-plan-approval'
);
create index command_list on command (cluster, number);
create index command_finished on command (cluster, finished_at) where finished_at is not null;
create index command_finished_at on command (finished_at);
create index command_rollout on command (rollout) where rollout is not null;
create index command_stack_run on command (stack_run) where stack_run is not null;

-- Whoever gives out a cluster's commands or adds to them holds its row, so that counts stay true.
create table command_queue (
  cluster text collate "C" primary key
);

-- A row is a step of a command's life.
create table command_step (
  id bigserial primary key,
  command text collate "C" not null references command (id) on delete cascade,
  at timestamptz not null default clock_timestamp(),
  actor text collate "C" not null,
  from_state text collate "C",
  to_state text collate "C" not null,
  reason text collate "C"
);
create index command_step_command on command_step (command, id);

-- Each person counts once in a round.
create table command_approval (
  command text collate "C" not null references command (id) on delete cascade,
  approver_uid text collate "C" not null,
  approver text collate "C" not null,
  at timestamptz not null default clock_timestamp(),
  comment text collate "C",
  asker text collate "C" not null,
  round smallint not null default 1,
  primary key (command, round, approver_uid)
);

-- Keys that sign commands. A key that doesn't sign yet, or signs no more, is given out beside the one that does.
create table command_key (
  id text collate "C" primary key,
  public_jwk text collate "C" not null,
  signs_from timestamptz not null,
  ends_at timestamptz
);

-- A private key as the certificate authority's are kept: encrypted once by each key encryption key that some hub still uses.
-- Without a key encryption key, in a database that the hub has in its own folder, `key_id` is empty and the key as it is.
create table command_key_seal (
  key text collate "C" not null references command_key (id) on delete cascade,
  key_id text collate "C" not null,
  sealed_key text collate "C" not null,
  replaced_by text collate "C",
  primary key (key, key_id)
);

-- work/runs: logs of commands.

-- How much of a command's log is there.
create table command_log (
  command text collate "C" primary key references command (id) on delete cascade,
  cluster text collate "C" not null,
  bytes bigint not null default 0,
  -- It has as much as a log may have.
  is_full boolean not null default false,
  -- Removed since the cluster's logs take too much room.
  is_gone boolean not null default false,
  -- What the log takes as it is kept, compressed.
  stored_bytes bigint not null default 0,
  -- When it grew last: a long log may still come when its command has ended.
  grown_at timestamptz
) with (fillfactor = 50);
create index command_log_cluster on command_log (cluster);

-- The log in pieces, gzip. Offsets and lengths are those before compression.
create table command_log_piece (
  command text collate "C" not null references command (id) on delete cascade,
  start bigint not null,
  bytes integer not null,
  data bytea not null,
  primary key (command, start)
);

-- When the hub got the bytes of a log from an offset on, to a second or so.
create table command_log_arrival (
  command text collate "C" not null references command (id) on delete cascade,
  start bigint not null,
  at timestamptz not null,
  primary key (command, start)
);

-- work/templates: commands that somebody has written down for others, who fill in parameters.

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
  changed_at timestamptz not null default clock_timestamp(),
  -- Whoever offered it may ask for such commands themselves, and no parameter chooses code.
  is_vouched boolean not null default false
);

-- work/rollouts: the same asked of several clusters, in waves. Each cluster gets an ordinary command as its turn comes.

-- Whoever changes a rollout or one of its clusters holds the rollout's row.
create table rollout (
  id text collate "C" primary key,
  -- The order in which rollouts were asked for.
  number bigserial not null unique,
  kind text collate "C" not null,
  target text collate "C" not null,
  namespace text collate "C" not null,
  dry_run boolean not null,
  -- What each command is asked for by, without its cluster. JSON.
  request text collate "C" not null,
  request_bytes integer not null,
  requester text collate "C" not null,
  requester_uid text collate "C" not null,
  -- By what the requester's rights are found again when they aren't there. JSON.
  asker text collate "C" not null,
  max_parallel integer,
  stop_after integer,
  -- Between waves; 0: until somebody resumes it; empty: no pause.
  pause_seconds integer,
  waves integer not null,
  state text collate "C" not null,
  -- The one in progress.
  wave integer not null default 1,
  -- `asked` or `between-waves`; of one that is stopping: the outcome towards which.
  why text collate "C",
  -- Who paused or cancelled it.
  by_whom text collate "C",
  resume_at timestamptz,
  cancellation text collate "C",
  code text collate "C",
  message text collate "C",
  hint text collate "C",
  -- Rises with each change of it or of one of its clusters.
  version bigint not null default 1,
  idempotency_key text collate "C",
  idempotency_digest text collate "C",
  retry_of text collate "C",
  -- How many clusters it has, and in which state they are.
  clusters integer not null,
  waiting integer not null,
  running integer not null default 0,
  succeeded integer not null default 0,
  failed integer not null default 0,
  skipped integer not null default 0,
  created_at timestamptz not null default clock_timestamp(),
  finished_at timestamptz,
  template text collate "C",
  template_revision integer,
  -- How many of its clusters wait for an approval.
  awaiting integer not null default 0
);
create unique index rollout_idempotency on rollout (requester_uid, idempotency_key) where idempotency_key is not null;
create index rollout_unfinished on rollout (number) where finished_at is null;
create index rollout_finished on rollout (requester_uid, finished_at) where finished_at is not null;

create table rollout_cluster (
  rollout text collate "C" not null references rollout (id) on delete cascade,
  -- The order in which clusters have their turns.
  place integer not null,
  cluster text collate "C" not null,
  -- Which one of those that had the name.
  incarnation uuid not null,
  -- 0: left out.
  wave integer not null,
  state text collate "C" not null,
  command text collate "C",
  code text collate "C",
  message text collate "C",
  hint text collate "C",
  -- That of the rollout when it changed last.
  version bigint not null default 1,
  -- The approval of its command's plan that it waits for, as people see it; empty: it waits for none.
  approval jsonb,
  primary key (rollout, place)
) with (fillfactor = 70);
create unique index rollout_cluster_name on rollout_cluster (rollout, cluster);
create index rollout_cluster_open on rollout_cluster (rollout, state, place) where state in ('waiting', 'running');
create index rollout_cluster_version on rollout_cluster (rollout, version);

-- work/schedules: rollouts that are asked for by the clock.

create table schedule (
  name text collate "C" primary key,
  -- Another one when the name is given again.
  id text collate "C" not null unique,
  cron text collate "C" not null,
  time_zone text collate "C" not null,
  kind text collate "C" not null,
  -- The rollout that is asked for. JSON.
  request text collate "C" not null,
  missed text collate "C" not null,
  deadline_seconds integer,
  is_paused boolean not null,
  owner text collate "C" not null,
  owner_uid text collate "C" not null,
  -- By what the owner's rights are found again. JSON.
  asker text collate "C" not null,
  -- Empty: never again.
  next_at timestamptz,
  created_at timestamptz not null default clock_timestamp(),
  -- What the schedule does at a tick while what an earlier one began is in progress.
  concurrency_policy text collate "C" not null default 'Allow'
);
create index schedule_next on schedule (next_at) where not is_paused;

-- A row is a tick: whoever writes it is the one who lets it happen.
create table schedule_tick (
  schedule text collate "C" not null references schedule (id) on delete cascade,
  at timestamptz not null,
  state text collate "C" not null,
  rollout text collate "C",
  code text collate "C",
  message text collate "C",
  hint text collate "C",
  -- The concurrency policy let it happen: what is left is to begin it.
  is_admitted boolean not null default false,
  primary key (schedule, at)
);
create index schedule_tick_due on schedule_tick (at) where state = 'due';

-- work/stacks: declared resources that depend on each other, each of which an ordinary command applies in the cluster that
-- it names.

create table stack (
  name text collate "C" primary key,
  -- Who asked for its first run.
  owner text collate "C" not null,
  owner_uid text collate "C" not null,
  created_at timestamptz not null default clock_timestamp()
);

-- What may be in a cluster because a stack asked for it, written before the command for it can be claimed.
create table stack_resource (
  cluster text collate "C" not null,
  target text collate "C" not null,
  stack text collate "C" not null references stack (name),
  -- Of the cluster, among those that had the name.
  incarnation uuid not null,
  -- In the declaration.
  name text collate "C" not null,
  kind text collate "C" not null,
  namespace text collate "C" not null,
  -- The last one by which it was applied. JSON.
  spec text collate "C" not null,
  spec_bytes integer not null,
  -- Places of the resources before it: a cluster, a space and a target each.
  depends_on text[] collate "C" not null,
  -- What was asked for last, and what came of it.
  action text collate "C" not null,
  outcome text collate "C" not null,
  command text collate "C" not null,
  asked_at timestamptz not null default clock_timestamp(),
  -- Which approvals its commands need, to be applied and to be destroyed; empty: none.
  approvals jsonb,
  -- No two stacks may declare the same thing.
  primary key (cluster, target)
);
create index stack_resource_stack on stack_resource (stack);

-- Whoever changes a run or one of its steps holds the run's row.
create table stack_run (
  id text collate "C" primary key,
  number bigserial not null unique,
  stack text collate "C" not null references stack (name),
  action text collate "C" not null,
  requester text collate "C" not null,
  requester_uid text collate "C" not null,
  -- By what the requester's rights are found again when they aren't there. JSON.
  asker text collate "C" not null,
  max_parallel integer,
  state text collate "C" not null,
  -- Who cancelled it.
  by_whom text collate "C",
  cancellation text collate "C",
  -- Rises with each change of it or of one of its steps.
  version bigint not null default 1,
  idempotency_key text collate "C",
  idempotency_digest text collate "C",
  created_at timestamptz not null default clock_timestamp(),
  finished_at timestamptz
);
create unique index stack_run_unfinished on stack_run (stack) where finished_at is null;
create unique index stack_run_idempotency on stack_run (requester_uid, idempotency_key) where idempotency_key is not null;
create index stack_run_newest on stack_run (stack, number desc);

create table stack_step (
  run text collate "C" not null references stack_run (id) on delete cascade,
  place integer not null,
  name text collate "C" not null,
  action text collate "C" not null,
  cluster text collate "C" not null,
  -- Empty: there is no such cluster.
  incarnation uuid,
  kind text collate "C" not null,
  namespace text collate "C" not null,
  target text collate "C" not null,
  -- JSON; empty when the run has ended.
  spec text collate "C",
  spec_bytes integer not null,
  depends_on text[] collate "C" not null,
  -- Places of the steps that must succeed before it.
  after integer[] not null,
  state text collate "C" not null,
  command text collate "C",
  code text collate "C",
  message text collate "C",
  hint text collate "C",
  -- The approval of its command's plan that it waits for, as people see it; empty: it waits for none.
  approval jsonb,
  -- As of its resource.
  approvals jsonb,
  primary key (run, place)
);

-- delivery/gitops: how the hub and each cluster exchange Argo CD applications.

-- A cluster without a row exchanges none.
create table gitops_settings (
  cluster text collate "C" primary key references cluster (name) on delete cascade,
  mode text collate "C" not null,
  mapping text collate "C" not null,
  -- Grows with each change.
  generation bigint not null,
  updated_at timestamptz not null,
  updated_by text collate "C" not null,
  -- What agents do where the hub's applications meet those of a cluster.
  on_uid_mismatch text collate "C" not null default 'recreate',
  adoption text collate "C" not null default 'always',
  on_recreate text collate "C" not null default 'ignore',
  create_namespaces boolean not null default false,
  -- From when on deletions wait for a person.
  guard_percent integer not null default 20,
  guard_min integer not null default 5
);

-- By which objects in clusters are known as this hub's, also when another hub on the same database writes them.
create table gitops_hub (
  is_only boolean primary key default true check (is_only),
  uid text collate "C" not null default gen_random_uuid()::text
);
insert into gitops_hub default values;

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

-- What the hub knows of the operations that people asked of a cluster's applications. One row for each application that has
-- or had one, written by the hub that owns the cluster's sync.
create table gitops_operation (
  cluster text collate "C" not null references cluster (name) on delete cascade,
  -- By which hub and cluster know the application.
  uid text collate "C" not null,
  -- { lastId, operation: { is }, failure }
  record jsonb not null,
  primary key (cluster, uid)
);

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

-- Applications whose deletion isn't to wait for their cluster, once that is removed or while it is revoked. They outlive the
-- cluster's row.
create table gitops_left (
  uid text collate "C" primary key,
  cluster text collate "C" not null,
  namespace text collate "C" not null,
  name text collate "C" not null,
  left_at timestamptz not null
);

-- Texts are compared by their bytes, whatever the database's own collation: order is the same everywhere, and indexes outlast
-- an update of the system's locales.

-- People's tokens. Only SHA-256 hashes of secrets are ever stored.
create table admin_token (
  id text collate "C" primary key,
  name text collate "C" not null,
  secret_sha256 text collate "C" not null,
  created_at timestamptz not null
);

-- `epoch` grows with each revocation: join tokens and identities of an older epoch are revoked.
create table cluster (
  name text collate "C" primary key,
  labels jsonb not null,
  roles text[] collate "C" not null,
  epoch integer not null default 0,
  created_at timestamptz not null,
  revoked_at timestamptz,
  revoked_reason text collate "C",
  last_seen_at timestamptz,
  last_lost_at timestamptz,
  kubernetes_version text collate "C",
  kube_system_uid text collate "C",
  agent_version text collate "C",
  clock_skew_ms bigint
);

-- When each epoch ended.
create table cluster_revocation (
  cluster text collate "C" not null references cluster (name) on delete cascade,
  epoch integer not null,
  revoked_at timestamptz not null,
  primary key (cluster, epoch)
);

create table cluster_event (
  id bigint generated always as identity primary key,
  cluster text collate "C" not null references cluster (name) on delete cascade,
  at timestamptz not null,
  level text collate "C" not null,
  type text collate "C" not null,
  message text collate "C" not null
);
create index cluster_event_newest on cluster_event (cluster, id desc);

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
  not_after timestamptz not null
);
create index identity_cluster on identity (cluster, issued_at desc);

-- The primary key is what makes a join token one-time: each of its roles goes to one key, whoever comes first.
create table join_claim (
  token_id text collate "C" not null references join_token (id) on delete cascade,
  role text collate "C" not null,
  key_thumbprint text collate "C" not null,
  serial text collate "C" references identity (serial) on delete set null,
  primary key (token_id, role)
);

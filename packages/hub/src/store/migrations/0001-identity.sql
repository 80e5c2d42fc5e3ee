-- People's tokens. Only SHA-256 hashes of secrets are ever stored.
create table admin_token (
  id text primary key,
  name text not null,
  secret_sha256 text not null,
  created_at timestamptz not null
);

-- `epoch` grows with each revocation: join tokens and identities of an older epoch are revoked.
create table cluster (
  name text primary key,
  labels jsonb not null,
  roles text[] not null,
  epoch integer not null default 0,
  created_at timestamptz not null,
  revoked_at timestamptz,
  revoked_reason text,
  last_seen_at timestamptz,
  last_lost_at timestamptz,
  kubernetes_version text,
  kube_system_uid text,
  agent_version text,
  clock_skew_ms bigint
);

-- When each epoch ended.
create table cluster_revocation (
  cluster text not null references cluster (name) on delete cascade,
  epoch integer not null,
  revoked_at timestamptz not null,
  primary key (cluster, epoch)
);

create table cluster_event (
  id bigint generated always as identity primary key,
  cluster text not null references cluster (name) on delete cascade,
  at timestamptz not null,
  level text not null,
  type text not null,
  message text not null
);
create index cluster_event_newest on cluster_event (cluster, id desc);

create table join_token (
  id text primary key,
  cluster text not null references cluster (name) on delete cascade,
  roles text[] not null,
  epoch integer not null,
  secret_sha256 text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null
);
create index join_token_cluster on join_token (cluster);

create table identity (
  serial text primary key,
  cluster text not null references cluster (name) on delete cascade,
  roles text[] not null,
  epoch integer not null,
  key_thumbprint text not null,
  certificate_pem text not null,
  issued_at timestamptz not null,
  not_after timestamptz not null
);
create index identity_cluster on identity (cluster, issued_at desc);

-- The primary key is what makes a join token one-time: each of its roles goes to one key, whoever comes first.
create table join_claim (
  token_id text not null references join_token (id) on delete cascade,
  role text not null,
  key_thumbprint text not null,
  serial text references identity (serial) on delete set null,
  primary key (token_id, role)
);

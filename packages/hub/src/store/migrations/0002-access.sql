-- Who may use the hub. Of tokens only SHA-256 hashes are stored.

-- Made by sign-ins through the identity provider, whose `issuer` and `subject` say who it is; the name is what bindings
-- and clusters know.
create table access_user (
  uid text primary key,
  name text not null unique,
  issuer text not null,
  subject text not null,
  groups text[] not null,
  created_at timestamptz not null,
  signed_in_at timestamptz not null,
  unique (issuer, subject)
);

create table robot (
  name text primary key,
  uid text not null unique,
  description text,
  ttl_ms bigint not null,
  created_at timestamptz not null
);

create table robot_token (
  id text primary key,
  robot text not null references robot (name) on delete cascade,
  secret_sha256 text not null unique,
  scope jsonb,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  last_used_at timestamptz
);
create index robot_token_robot on robot_token (robot);

-- `token_id` is the long-lived token that it began with.
create table session (
  id text primary key,
  kind text not null,
  name text not null,
  uid text not null,
  groups text[] not null,
  method text not null,
  token_id text,
  scope jsonb,
  remote_address text,
  created_at timestamptz not null,
  refreshed_at timestamptz not null,
  ends_at timestamptz not null
);
create index session_name on session (name);

-- Refresh tokens that were used stay until their session ends: seeing one again means that it was stolen.
create table session_token (
  secret_sha256 text primary key,
  session_id text not null references session (id) on delete cascade,
  kind text not null,
  expires_at timestamptz not null,
  used_at timestamptz
);
create index session_token_session on session_token (session_id);

-- Roles that are built in are not in here.
create table access_role (
  name text primary key,
  rules jsonb not null
);

create table access_binding (
  id text primary key,
  subject_kind text not null,
  subject_name text not null,
  role text not null,
  clusters jsonb not null,
  record boolean not null,
  created_at timestamptz not null,
  created_by text not null
);

-- Who may use the hub. Of tokens only SHA-256 hashes are stored.

-- Made by sign-ins through the identity provider, whose `issuer` and `subject` say who it is; the name is what bindings
-- and clusters know.
create table access_user (
  uid text collate "C" primary key,
  name text collate "C" not null unique,
  issuer text collate "C" not null,
  subject text collate "C" not null,
  groups text[] collate "C" not null,
  created_at timestamptz not null,
  signed_in_at timestamptz not null,
  unique (issuer, subject)
);

create table robot (
  name text collate "C" primary key,
  uid text collate "C" not null unique,
  description text collate "C",
  ttl_ms bigint not null,
  created_at timestamptz not null
);

create table robot_token (
  id text collate "C" primary key,
  robot text collate "C" not null references robot (name) on delete cascade,
  secret_sha256 text collate "C" not null unique,
  scope jsonb,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  last_used_at timestamptz
);
create index robot_token_robot on robot_token (robot);

-- `token_id` is the long-lived token that it began with.
create table session (
  id text collate "C" primary key,
  kind text collate "C" not null,
  name text collate "C" not null,
  uid text collate "C" not null,
  groups text[] collate "C" not null,
  method text collate "C" not null,
  token_id text collate "C",
  scope jsonb,
  remote_address text collate "C",
  created_at timestamptz not null,
  refreshed_at timestamptz not null,
  ends_at timestamptz not null
);
create index session_name on session (name);

-- Refresh tokens that were used stay until their session ends: seeing one again means that it was stolen.
create table session_token (
  secret_sha256 text collate "C" primary key,
  session_id text collate "C" not null references session (id) on delete cascade,
  kind text collate "C" not null,
  expires_at timestamptz not null,
  used_at timestamptz
);
create index session_token_session on session_token (session_id);

-- Roles that are built in are not in here.
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
  created_by text collate "C" not null
);

-- Several hubs keep users and sessions in memory, and read again what changed since they last looked: `changed_xid` is the
-- transaction that wrote the row. All that a snapshot didn't see yet is of a transaction that isn't before its xmin, so a
-- reader who goes on from there misses nothing, in whatever order others commit.
alter table access_user add column changed_xid bigint not null default (pg_current_xact_id()::text::bigint);
create index access_user_changed on access_user (changed_xid);
alter table session add column changed_xid bigint not null default (pg_current_xact_id()::text::bigint);
create index session_changed on session (changed_xid);

-- The order of a session's tokens: the oldest are forgotten when there are very many.
alter table session_token add column created_at timestamptz not null default now();

-- Sessions that ended before their time, until that: then every hub has forgotten them by itself.
create table session_end (
  id text collate "C" primary key,
  ends_at timestamptz not null,
  changed_xid bigint not null default (pg_current_xact_id()::text::bigint)
);
create index session_end_changed on session_end (changed_xid);

-- Sign-ins by the identity provider that are under way: in the browser (`flow`), with a login code on its way to the
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

-- Logout tokens that were taken, by a hash of their issuer and id, until nobody would take them any more. One that wasn't
-- done with after a while may come again: its hub died.
create table oidc_logout (
  id_sha256 text collate "C" primary key,
  ends_at timestamptz not null,
  taken_at timestamptz not null,
  is_done boolean not null
);
create index oidc_logout_ends on oidc_logout (ends_at);

-- When the hub that showed the first admin's token last said that it is there; of several hubs on one database no other
-- replaces the token meanwhile.
alter table admin_token add column shown_at timestamptz;

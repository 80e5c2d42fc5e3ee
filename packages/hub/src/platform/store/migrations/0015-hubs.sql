-- The hubs that share this database, and the links of agents that each of them holds.

-- A hub that hasn't renewed its row for six seconds, by the database's clock, is taken for dead and its row removed.
create table hub (
  id text collate "C" primary key,
  address text collate "C" not null,
  version text collate "C" not null,
  started_at timestamptz not null,
  heartbeat_at timestamptz not null
);

-- `revision` is the counter of the topic `links` in the transaction that wrote the row. A link that ended stays for a
-- minute, so that hubs which read by revision hear of it.
create table hub_link (
  id text collate "C" primary key,
  hub text collate "C" not null references hub (id) on delete cascade,
  cluster text collate "C" not null,
  revision bigint not null,
  ended_at timestamptz,
  facts jsonb not null
);
create index hub_link_hub on hub_link (hub);
create index hub_link_revision on hub_link (revision);

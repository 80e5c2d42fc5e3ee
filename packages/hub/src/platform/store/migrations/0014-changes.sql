-- Several hubs share one database. A counter is raised by each transaction that changes something of its topic, so that a
-- hub sees by one short question what it has to read again. Whoever raises it holds its row until the commit: the order of
-- values is the order of commits.
create table change_counter (
  topic text collate "C" primary key,
  value bigint not null
);

-- What only one hub may do at a time. `fence` rises each time that somebody takes the lease and is never used again, so a
-- row stays when its lease is free. Times are by the clock of the database.
create table lease (
  name text collate "C" primary key,
  holder text collate "C" not null,
  fence bigint not null,
  expires_at timestamptz not null
);

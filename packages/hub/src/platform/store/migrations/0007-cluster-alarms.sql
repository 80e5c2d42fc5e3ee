-- Alarms stay until someone has seen them, however many events come after. Equal ones are one row; `key` is the hash of
-- the message, or empty for the row of all that are too many of their type.
create table cluster_alarm (
  id text collate "C" primary key default gen_random_uuid()::text,
  cluster text collate "C" not null references cluster (name) on delete cascade,
  type text collate "C" not null,
  key text collate "C" not null,
  message text collate "C" not null,
  first_at timestamptz not null,
  last_at timestamptz not null,
  count bigint not null,
  unique (cluster, type, key)
);

-- Those among the events that nobody could mark as seen yet.
insert into cluster_alarm (cluster, type, key, message, first_at, last_at, count)
select cluster, type, case when place <= 20 then key else '' end, (array_agg(message order by last_at desc))[1],
  min(first_at), max(last_at), sum(count)
from (
  select cluster, type, md5(message) as key, left(max(message), 1024) as message, min(at) as first_at,
    max(at) as last_at, count(*) as count, row_number() over (partition by cluster, type order by min(at)) as place
  from cluster_event where level = 'alarm' group by cluster, type, md5(message)
) as equal
group by cluster, type, case when place <= 20 then key else '' end;

-- How many objects there are, so that nobody has to look at each of them. What was deleted doesn't count; a row that came
-- down to none stays until the next tidying up.
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

insert into inventory_count (cluster, kind, namespace, health, objects)
select cluster, kind, namespace, health, count(*) from inventory_object where deleted_at is null
group by grouping sets ((cluster, kind, namespace, health), (cluster, kind, health));

-- Kept by the database, once per statement: whatever changes objects changes counts, or neither is changed. Most
-- statements leave most counts as they were, so what differs is found first; an `insert … on conflict` calls for inserted
-- rows and for updated ones, also when there are none.
create function inventory_count_inserted() returns trigger language plpgsql as $$ begin if exists (select from new_rows) then
  insert into inventory_count as c (cluster, kind, namespace, health, objects)
  select cluster, kind, namespace, health, sum(n) from (
    select cluster, kind, namespace, health, count(*) as n from new_rows where deleted_at is null group by 1, 2, 3, 4
  ) changed
  group by grouping sets ((cluster, kind, namespace, health), (cluster, kind, health)) having sum(n) <> 0
  on conflict (cluster, kind, namespace, health) do update set objects = c.objects + excluded.objects; end if; return null; end
$$;

-- The plan is made once, for as many rows as come first, and for hundreds sorting takes twice as long as hashing.
create function inventory_count_updated() returns trigger language plpgsql set enable_sort = off as $$ begin if exists (select from new_rows) then
  insert into inventory_count as c (cluster, kind, namespace, health, objects)
  select cluster, kind, namespace, health, sum(n) from (
    select cluster, kind, namespace, health, sum(n) as n from (
      select cluster, kind, namespace, health, 1 as n from new_rows where deleted_at is null
      union all
      select cluster, kind, namespace, health, -1 from old_rows where deleted_at is null
    ) row group by 1, 2, 3, 4 having sum(n) <> 0
  ) changed
  group by grouping sets ((cluster, kind, namespace, health), (cluster, kind, health)) having sum(n) <> 0
  on conflict (cluster, kind, namespace, health) do update set objects = c.objects + excluded.objects; end if; return null; end
$$;

create function inventory_count_deleted() returns trigger language plpgsql as $$ begin
  insert into inventory_count as c (cluster, kind, namespace, health, objects)
  select cluster, kind, namespace, health, sum(n) from (
    select cluster, kind, namespace, health, -count(*) as n from old_rows where deleted_at is null group by 1, 2, 3, 4
  ) changed
  group by grouping sets ((cluster, kind, namespace, health), (cluster, kind, health)) having sum(n) <> 0
  on conflict (cluster, kind, namespace, health) do update set objects = c.objects + excluded.objects; return null; end
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

// Much for the database to look through, and to wait for.
import { sql } from "kysely";
import type { Store } from "./types.ts";

/** The rows go straight into the tables: reports of agents aren't tested here. */
export async function fillPods(store: Store, count: number): Promise<void> {
  const { db } = store;
  await sql`insert into cluster (name, labels, roles, created_at) values ('east', '{}', '{observe}', now())`.execute(
    db,
  );
  await sql`insert into inventory_cluster (cluster, kube_system_uid) values ('east', 'u')`.execute(db);
  await sql`
    insert into inventory_kind (cluster, kind, api_group, api_version, resource, kind_name, namespaced, state, state_since)
    values ('east', 'pods', '', 'v1', 'pods', 'Pod', true, 'synced', now())
  `.execute(db);
  await addPods(store, count);
}

/** The pods belong to a cluster named east that the hub knows. */
export async function addPods({ db }: Store, count: number): Promise<void> {
  await sql`
    insert into inventory_object (
      cluster, kind, uid, namespace, name, bucket, version, revision, labels, owners, created_at, changed_at, change,
      spec_changed_at, is_cut, wanted, body
    )
    select 'east', 'pods', 'uid-' || i, 'ns-' || i % 50, 'pod-' || i, i, i, nextval('inventory_revision'),
      '{"app":"web"}', '{}', now(), now(), 'created', now(), false, 0,
      jsonb_build_object('apiVersion', 'v1', 'kind', 'Pod',
        'metadata', jsonb_build_object('name', 'pod-' || i, 'namespace', 'ns-' || i % 50, 'uid', 'uid-' || i),
        'spec', jsonb_build_object('nodeName', 'node-1', 'containers', jsonb_build_array(
          jsonb_build_object('name', 'web', 'image', repeat('registry.example.com/team/web:1.2.3', 10)))))
    from generate_series(1, ${count}::int) i
  `.execute(db);
}

export async function sleepInStore({ db }: Pick<Store, "db">, seconds: number): Promise<void> {
  await sql`select pg_sleep(${seconds}::float8)`.execute(db);
}

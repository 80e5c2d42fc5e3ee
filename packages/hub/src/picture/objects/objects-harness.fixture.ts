// Objects in a store in memory, and callers who may see some of them.
import { bucketOf } from "@fairlead/protocol";
import type { Kysely } from "kysely";
import type { Principal } from "../../people/access/index.ts";
import type { Tables } from "../../platform/store/index.ts";
import { openMemoryStore } from "../../platform/store/memory-store.fixture.ts";
import { assessHealth } from "../health/index.ts";
import type { ClusterFreshness, CommittedChange, InventoryReader, KindInfo } from "../inventory/index.ts";
import { type ObjectsRoom, openObjects } from "./open.ts";
import type { ObjectAccess, ObjectInventory } from "./types.ts";

export interface ObjectsHarness extends AsyncDisposable {
  readonly db: Kysely<Tables>;
  readonly objects: ObjectsRoom;
  add(cluster: string, kind: string, object: PartialObject): Promise<string>;
  /** Freshness of a cluster in place of "in step". */
  readonly freshness: Map<string, Partial<ClusterFreshness>>;
  /** Kinds of a cluster in place of `kinds`. */
  readonly kindsOf: Map<string, readonly KindInfo[]>;
  /** Labels of a cluster in place of its name as `side`. */
  readonly labelsOf: Map<string, Readonly<Record<string, string>>>;
  readonly inventory: HarnessInventory;
  readonly access: ObjectAccess;
  clear(): Promise<void>;
  change(
    uid: string,
    columns: { change?: string; changedAt?: Date; deletedAt?: Date; specChangedAt?: Date; labels?: object },
  ): Promise<void>;
}

export type HarnessInventory = ObjectInventory &
  Pick<InventoryReader, "revision" | "catchUp" | "history" | "onHistoryLost" | "onCommitted" | "onFreshnessChanged"> & {
    tellFreshness(): void;
    /** The database is another one than it was. */
    loseHistory(): void;
  };

export interface PartialObject {
  readonly name: string;
  readonly namespace?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly owner?: string;
  readonly createdAt?: string;
  readonly [field: string]: unknown;
}

export const kinds: readonly KindInfo[] = [
  kind("pods", "", "v1", "Pod", ["po"]),
  kind("nodes", "", "v1", "Node", ["no"], false),
  kind("events", "", "v1", "Event", ["ev"]),
  kind("events.events.k8s.io", "events.k8s.io", "v1", "Event", ["ev"]),
  kind("deployments.apps", "apps", "v1", "Deployment", ["deploy"]),
  kind("replicasets.apps", "apps", "v1", "ReplicaSet", ["rs"]),
  kind("secrets", "", "v1", "Secret", []),
];

function kind(
  key: string,
  group: string,
  version: string,
  kindName: string,
  shortNames: string[],
  namespaced = true,
): KindInfo {
  return { kind: key, group, version, resource: key.split(".")[0] ?? key, kindName, namespaced, shortNames };
}

export interface Sees {
  readonly clusters: readonly string[];
  /** Undefined: all. */
  readonly namespaces?: readonly string[];
  /** Clusters that one knows of without seeing anything in them. */
  readonly blind?: readonly string[];
}

/** Only a caller with `everything` sees Secrets. */
export function caller(name: string, sees: Sees): Principal {
  seen.set(name, sees);
  return { kind: "user", name, uid: name, groups: [] };
}

const seen = new Map<string, Sees>();

export async function setObjectsHarness(clusterNames: readonly string[] = ["east", "west"]): Promise<ObjectsHarness> {
  const store = await openMemoryStore();
  const { db } = store;
  for (const name of clusterNames) {
    await db
      .insertInto("cluster")
      .values({ name, labels: JSON.stringify({ side: name }), roles: ["observe"], created_at: new Date() })
      .execute();
    await db.insertInto("inventory_cluster").values({ cluster: name, kube_system_uid: name }).execute();
  }
  const freshness = new Map<string, Partial<ClusterFreshness>>();
  const kindsOf = new Map<string, readonly KindInfo[]>();
  const labelsOf = new Map<string, Readonly<Record<string, string>>>();
  let revision = 0;
  const committed = new Set<Parameters<InventoryReader["onCommitted"]>[0]>();
  const freshnessListeners = new Set<(cluster: string) => void>();
  const lostListeners = new Set<() => void>();
  let history = 1;
  const inventory: HarnessInventory = {
    get revision() {
      return revision;
    },
    catchUp: async () => undefined,
    get history() {
      return String(history);
    },
    onHistoryLost(listener) {
      lostListeners.add(listener);
      return () => lostListeners.delete(listener);
    },
    loseHistory() {
      history += 1;
      for (const listener of lostListeners) listener();
    },
    onCommitted(listener) {
      committed.add(listener);
      return () => committed.delete(listener);
    },
    onFreshnessChanged(listener) {
      freshnessListeners.add(listener);
      return () => freshnessListeners.delete(listener);
    },
    tellFreshness() {
      for (const listener of freshnessListeners) listener("east");
    },
    kinds: (cluster) => kindsOf.get(cluster) ?? kinds,
    kind: (cluster, key) => inventory.kinds(cluster).find(({ kind }) => kind === key),
    facts: async () => new Map(),
    confirmReplacement: async () => undefined,
    age(cluster, asked) {
      const { kinds: all, ...rest } = inventory.freshness(cluster);
      return { ...rest, kinds: all.filter(({ kind }) => asked.has(kind)) };
    },
    freshness: (cluster) => ({
      cluster,
      state: "connected",
      stateSince: when,
      verifiedAt: when,
      ageMs: 0,
      lagMs: 0,
      pendingChanges: 0,
      kinds: kinds.map((one) => ({
        kind: one.kind,
        state: "synced",
        since: when,
        verifiedAt: when,
        ageMs: 1_000,
        objects: 1,
      })),
      ...freshness.get(cluster),
    }),
  };
  const access: ObjectAccess = {
    namespacesOf: ({ name }) => seen.get(name)?.namespaces ?? [],
    may: (principal, { cluster }) =>
      cluster === undefined
        ? principal.name === "everything"
        : (seen.get(principal.name)?.clusters.includes(cluster) ?? false),
    authorize: ({ principal, cluster, attributes }) => {
      const sees = seen.get(principal.name);
      const isHidden = attributes.resource === "secrets" && principal.name !== "everything";
      const isSeen =
        !isHidden &&
        !sees?.blind?.includes(cluster) &&
        sees?.clusters.includes(cluster) &&
        (sees.namespaces === undefined || sees.namespaces.includes(attributes.namespace));
      return isSeen
        ? { allowed: true, identity: { user: principal.name, groups: [] }, record: false }
        : { allowed: false, reason: "no" };
    },
  };
  const objects = openObjects({
    db,
    access,
    clusters: {
      list: () => clusterNames.map((name) => ({ name, labels: labelsOf.get(name) ?? { side: name } })),
      exists: (name) => clusterNames.includes(name),
    },
    kubernetesVersion: () => "v1.36.3",
    inventory,
  });
  return {
    db,
    objects,
    freshness,
    kindsOf,
    labelsOf,
    inventory,
    access,
    clear,
    add,
    change,
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  };

  async function add(cluster: string, key: string, object: PartialObject): Promise<string> {
    const { name, namespace = "", labels = {}, owner, createdAt = when, ...rest } = object;
    const info = inventory.kinds(cluster).find((one) => one.kind === key);
    const apiVersion = info?.group === "" ? "v1" : `${info?.group}/${info?.version}`;
    const uid = `${cluster}-${key}-${namespace}-${name}`;
    const metadata = { name, uid, ...(namespace && { namespace }), labels, creationTimestamp: createdAt };
    const body = { apiVersion, kind: info?.kindName, metadata, ...rest };
    const health = assessHealth(body);
    await db
      .insertInto("inventory_object")
      .values({
        cluster,
        kind: key,
        uid,
        namespace,
        name,
        bucket: bucketOf(uid, 2 ** 16),
        version: 1n,
        revision: revision + 1,
        labels: JSON.stringify(labels),
        owners: owner === undefined ? [] : [owner],
        health: health?.health ?? null,
        health_message: health?.message ?? null,
        created_at: new Date(createdAt),
        changed_at: new Date(when),
        change: "created",
        spec_changed_at: new Date(when),
        wanted: 0n,
        is_cut: false,
        body: JSON.stringify(body),
        health_changed_at: null,
        deleted_at: null,
      })
      .execute();
    tellCommitted([{ cluster, kind: key, uid, namespace, name, revision: revision + 1, change: "created", labels }]);
    return uid;
  }

  async function clear(): Promise<void> {
    freshness.clear();
    kindsOf.clear();
    await db.deleteFrom("inventory_object").execute();
  }

  async function change(
    uid: string,
    { change: type, changedAt, deletedAt, specChangedAt, labels }: Parameters<ObjectsHarness["change"]>[1],
  ): Promise<void> {
    await db
      .updateTable("inventory_object")
      .set({
        ...(type && { change: type }),
        ...(changedAt && { changed_at: changedAt }),
        ...(deletedAt && { deleted_at: deletedAt }),
        ...(specChangedAt && { spec_changed_at: specChangedAt }),
        ...(labels && { labels: JSON.stringify(labels) }),
        revision: revision + 1,
      })
      .where("uid", "=", uid)
      .execute();
    tellCommitted();
  }

  function tellCommitted(changes: readonly CommittedChange[] = []): void {
    revision += 1;
    for (const tell of committed) tell(changes);
  }
}

export const when = "2026-01-01T12:00:00.000Z";
export const nowMs: number = Date.parse(when) + 60_000;

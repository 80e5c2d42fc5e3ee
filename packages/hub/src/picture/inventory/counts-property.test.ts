// The kept counts are those that counting gives, whatever becomes of objects.
import fc from "fast-check";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Store } from "../../platform/store/index.ts";
import { openMemoryStore } from "../../platform/store/memory-store.fixture.ts";
import { createObjectStore } from "./object-store.ts";
import type { IncomingRow, Removal } from "./read-change.ts";

type Change = Pick<IncomingRow, "cluster" | "kind" | "uid" | "namespace" | "health" | "version" | "body">;

type Step =
  | { readonly type: "apply"; readonly changes: readonly Change[] }
  | { readonly type: "fail"; readonly changes: readonly Change[] }
  | { readonly type: "remove"; readonly changes: readonly Change[] }
  | { readonly type: "forget"; readonly cluster: string; readonly kind: string | undefined }
  | { readonly type: "leave"; readonly cluster: string }
  | { readonly type: "purge" }
  | { readonly type: "tidy" };

let store: Store;
beforeAll(async () => {
  store = await openMemoryStore();
}, 60_000);
afterAll(() => store[Symbol.asyncDispose]());

const clusters = ["east", "west"] as const;
const cluster = fc.constantFrom(...clusters);
const kind = fc.constantFrom("pods", "nodes", "configmaps");
const change: fc.Arbitrary<Change> = fc.record({
  cluster,
  kind,
  uid: fc.constantFrom("a", "b", "c", "d", "e", "f"),
  namespace: fc.constantFrom("", "shop", "kube-system"),
  health: fc.constantFrom("Healthy", "Degraded", undefined),
  version: fc.bigInt(0n, 3n),
  body: fc.constant(Buffer.from("{}")),
});
// No object comes twice in a batch.
const changes = fc.uniqueArray(change, { maxLength: 12, selector: (one) => `${one.cluster}/${one.kind}/${one.uid}` });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ type: fc.constant("apply"), changes }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("fail"), changes }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constant("remove"), changes }) },
  {
    weight: 1,
    arbitrary: fc.record({ type: fc.constant("forget"), cluster, kind: fc.option(kind, { nil: undefined }) }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("leave"), cluster }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constantFrom("purge", "tidy") }) },
);

it("is at every time what counting the objects gives", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
      await begin();
      for (const [at, one] of steps.entries()) {
        await take(one, Date.UTC(2030, 0, 1, 0, at));
        expect(await listCounts()).toEqual(await countObjects());
      }
    }),
    { numRuns: 80 },
  );
}, 120_000);

it("keeps no counts of what is gone", async () => {
  await begin();
  await take({ type: "apply", changes: fc.sample(changes, 1)[0] ?? [] }, 0);
  for (const each of clusters) await take({ type: "leave", cluster: each }, 0);
  await take({ type: "tidy" }, 0);
  expect((await sql`select from inventory_count`.execute(store.db)).rows).toEqual([]);
});

async function begin(): Promise<void> {
  await sql`delete from inventory_object`.execute(store.db);
  for (const each of clusters) await join(each);
}

async function take(one: Step, nowMs: number): Promise<void> {
  const objects = createObjectStore(store.db);
  switch (one.type) {
    case "apply":
      return void (await objects.apply(one.changes.map(toRow), nowMs));
    case "fail": {
      const broken = { ...toRow(brokenChange), body: Buffer.from("{") };
      return await expect(objects.apply([...one.changes.map(toRow), broken], nowMs)).rejects.toThrow();
    }
    case "remove":
      return void (await objects.remove(one.changes.map(toRemoval), nowMs));
    case "forget":
      return void (await objects.forgetSome({ cluster: one.cluster, kind: one.kind, nowMs }));
    case "leave":
      await sql`delete from cluster where name = ${one.cluster}`.execute(store.db);
      await objects.sweep();
      return await join(one.cluster);
    case "purge":
      return void (await objects.purge(new Date(nowMs - 60_000)));
    case "tidy":
      return await objects.tidy();
  }
}

async function join(name: string): Promise<void> {
  await sql`
    insert into cluster (name, labels, roles, created_at) values (${name}, '{}', '{observe}', now()) on conflict do nothing
  `.execute(store.db);
  await sql`
    insert into inventory_cluster (cluster, kube_system_uid) values (${name}, '') on conflict do nothing
  `.execute(store.db);
}

async function listCounts(): Promise<unknown[]> {
  const { rows } = await sql`
    select cluster, kind, namespace, health, objects::int from inventory_count where objects <> 0 order by 1, 2, 3, 4
  `.execute(store.db);
  return rows;
}

async function countObjects(): Promise<unknown[]> {
  const { rows } = await sql`
    select cluster, kind, namespace, health, count(*)::int as objects from inventory_object
    where deleted_at is null group by grouping sets ((1, 2, 3, 4), (1, 2, 4)) order by 1, 2, 3, 4
  `.execute(store.db);
  return rows;
}

function toRow(one: Change): IncomingRow {
  return {
    ...one,
    type: "apply",
    name: one.uid,
    bucket: 0,
    labels: {},
    owners: [],
    healthMessage: undefined,
    createdMs: 0,
    isCut: false,
    wanted: one.version,
    usage: undefined,
    object: { metadata: { uid: "", name: "" } },
  };
}

function toRemoval({ cluster: of, kind: name, uid }: Change): Removal {
  return { type: "remove", cluster: of, kind: name, uid };
}

const brokenChange: Change = {
  cluster: "east",
  kind: "pods",
  uid: "broken",
  namespace: "",
  health: undefined,
  version: 1n,
  body: Buffer.from("{"),
};

// The hub's ends of a managed cluster with the mapping by destination, and what its cluster is told of applications that
// go elsewhere.
import { setImmediate as turn } from "node:timers/promises";
import { createMovableClock, type MovableClock } from "@fairlead/kernel/testing";
import { type GitopsObject, ReplicaTarget, type StatusPart, toContent } from "@fairlead/protocol";
import { afterEach, expect, test } from "vitest";
import { createDestinedApplications } from "../../destinations/index.ts";
import { createMemoryHolds, createMemoryOperations, type MemoryHolds } from "../../memory-holds.fixture.ts";
import { createSharedObjects } from "../../shared/index.ts";
import type { HubObjects, HubObjectsHandler } from "../../types.ts";
import type { HubEnds } from "../types.ts";
import { createManagedEnds } from "./ends.ts";

const undo = new Set<() => void>();
afterEach(() => {
  for (const end of undo) end();
  undo.clear();
});

test("an application that gets another destination goes from the cluster after a moment, and one that is the hub's own, too", async () => {
  const harness = await open(["moved", "left", "stays", "e", "f", "g"]);
  harness.change("moved", { destination: { name: "west" } });
  harness.change("left", { destination: { name: "in-cluster" } });
  await harness.exchange();
  expect(harness.copies.size).toBe(6);
  await harness.wait(3_000);
  expect([...harness.copies].sort()).toEqual(["e", "f", "g", "stays"]);
  expect(harness.there("moved")).toBe(true);
});

test("many that get another destination at once are a mass deletion, which waits for a person", async () => {
  const names = ["a", "b", "c", "d", "e", "f"];
  const harness = await open(names);
  for (const name of names) harness.change(name, { destination: { name: "west" } });
  await harness.wait(10_000);
  expect([harness.copies.size, harness.ends.heldDeletions?.()]).toEqual([6, 6]);
  await harness.holds.confirm();
  await harness.wait(1_000);
  expect([harness.copies.size, harness.ends.heldDeletions?.()]).toEqual([0, 0]);
});

test("what the cluster says of an application isn't written any more once that is another one's", async () => {
  const harness = await open(["moved", "stays"]);
  harness.say("moved", "Synced");
  await turn();
  expect(harness.written).toEqual(["moved Synced"]);
  harness.change("moved", { destination: { name: "west" } });
  harness.say("moved", "OutOfSync");
  harness.say("stays", "OutOfSync");
  await turn();
  expect(harness.written).toEqual(["moved Synced", "stays OutOfSync"]);
});

test("an application that is another one's loses the status that the cluster told, unless somebody wrote another one", async () => {
  const harness = await open(["moved", "taken", "c", "d"]);
  for (const name of ["moved", "taken"]) harness.say(name, "Synced");
  await turn();
  harness.change("moved", { destination: { name: "in-cluster" } });
  harness.change("taken", { destination: { name: "west" } }, { sync: { status: "OutOfSync" } });
  await harness.wait(3_000);
  expect(harness.written).toEqual(["moved Synced", "taken Synced", "moved none"]);
});

test("an application that went to another cluster while this hub was away is found by that, and goes", async () => {
  const harness = await open(["stays", "b", "c"], ["stays", "b", "c", "moved"]);
  harness.hide("moved", { destination: { name: "west" } });
  await harness.wait(3_000);
  expect([...harness.copies].sort()).toEqual(["b", "c", "stays"]);
});

interface Harness {
  readonly ends: HubEnds;
  readonly holds: MemoryHolds;
  /** Names of what the cluster has. */
  readonly copies: Set<string>;
  /** NAME and sync status of each write of a status. */
  readonly written: string[];
  change(name: string, spec: object, status?: object): void;
  /** The API server has it, and no watch tells of it. */
  hide(name: string, spec: object): void;
  there(name: string): boolean;
  say(name: string, sync: string): void;
  exchange(): Promise<void>;
  wait(ms: number): Promise<void>;
}

/** `held`: what the cluster has before. */
async function open(names: readonly string[], held: readonly string[] = []): Promise<Harness> {
  const clock = createMovableClock();
  const api = new Map(names.map((name) => [name, application(name, { destination: { name: "east" } })]));
  const written: string[] = [];
  let handler: HubObjectsHandler | undefined;
  const objects = {
    kinds: new Set(["applications"]),
    watch(watch: Parameters<HubObjects["watch"]>[0]) {
      handler = watch.handler;
      return new Promise((_, reject) => watch.signal.addEventListener("abort", () => reject(watch.signal.reason)));
    },
    get: async ({ name }: { name: string }) => api.get(name),
    async writeStatus({ object }: Parameters<HubObjects["writeStatus"]>[0]) {
      const { sync } = object["status"] as { sync?: { status: string } };
      written.push(`${object.metadata.name} ${sync?.status ?? "none"}`);
      api.set(object.metadata.name, object);
      handler?.changed(object);
      return { is: "written", object };
    },
  } as unknown as HubObjects;
  const ending = new AbortController();
  const holds = createMemoryHolds();
  const ends = openEnds({ objects, clock, holds, signal: ending.signal });
  const copies = new Set<string>();
  const target = openTarget(copies, held, clock);
  const source = ends.sources.get("applications");
  const status = ends.targets.get("applications.status");
  if (source === undefined || status === undefined) throw new Error("there is no such flow");
  const judging = ends.run(ending.signal);
  judging.catch(() => undefined);
  undo.add(() => ending.abort());
  await turn();
  handler?.listed([...api.values()]);
  source.connect();
  target.connect();
  status.connect();
  const harness: Harness = {
    ends,
    holds,
    copies,
    written,
    change(name, spec, status = api.get(name)?.["status"] as object | undefined) {
      const object = { ...application(name, spec), ...(status && { status }) };
      api.set(name, object);
      handler?.changed(object);
    },
    hide: (name, spec) => void api.set(name, application(name, spec)),
    there: (name) => api.has(name),
    say(name, sync) {
      const said: StatusPart = { status: { sync: { status: sync } }, refresh: {} };
      const content = toContent({ namespace: "argocd", name }, said);
      status.receive({ type: "entry", uid: `uid-${name}`, generation: ++generations, ...content });
    },
    async exchange() {
      for (let round = 0; round < 100; round++) {
        await turn();
        for (let said = source.take(); said; said = source.take()) target.receive(said);
        for (let said = target.take(); said; said = target.take()) source.receive(said);
      }
    },
    async wait(ms) {
      for (let passed = 0; passed < ms; passed += 500) {
        clock.move(500);
        await harness.exchange();
      }
    },
  };
  await harness.exchange();
  return harness;
}

function openEnds(of: {
  readonly objects: HubObjects;
  readonly clock: MovableClock;
  readonly holds: MemoryHolds;
  readonly signal: AbortSignal;
}): HubEnds {
  const { objects, clock } = of;
  const ignore = (): void => undefined;
  const log = { warn: ignore, info: ignore };
  const rules = { argoNamespace: "argocd", applicationNamespaces: [] };
  const listExchanging = async (): Promise<string[]> => ["east", "west"];
  return createManagedEnds({
    ...of,
    log,
    namespace: "east",
    fence: { cluster: "east", term: 1n },
    mapping: "destination",
    destined: createDestinedApplications({ objects, rules, listExchanging, clock, log }),
    shared: createSharedObjects({ objects, namespace: "argocd", clock, log }),
    sharing: { argoNamespace: "argocd", sharesGlobalRepositories: false, publicUrl: undefined },
    onWork: ignore,
    onFenced: ignore,
    random: () => 0.5,
    rules: { guardPercent: 20, guardMin: 5 },
    keptOperations: createMemoryOperations(),
    limits: { maxUnackedEntries: 64, maxUnackedBytes: 1_000_000, maxEntryBytes: 1_000_000 },
  });
}

/** Stands in for the cluster, and takes everything at once. */
function openTarget(copies: Set<string>, held: readonly string[], clock: MovableClock): ReplicaTarget {
  const target: ReplicaTarget = new ReplicaTarget({
    apply({ uid, content }) {
      const name = uid.slice("uid-".length);
      if (content === undefined) copies.delete(name);
      else copies.add(name);
      target.committed(uid, 0n);
    },
    onWork: () => undefined,
    now: () => clock.steadyMs(),
    keepsContent: false,
  });
  for (const name of held) {
    copies.add(name);
    target.hold({ uid: `uid-${name}`, version: 1n, name: `argocd/${name}` }, 0n);
  }
  target.loaded();
  return target;
}

function application(name: string, spec: object): GitopsObject {
  const resourceVersion = String(++generations);
  const metadata = { name, namespace: "argocd", uid: `uid-${name}`, resourceVersion };
  return { apiVersion: "argoproj.io/v1alpha1", kind: "Application", metadata, spec };
}

let generations = 0;

// Hubs on one database tell each other of the links that they hold. Time is the system's; the bus loses every hint, so
// that all is found out by looking.
import { systemClock } from "@fairlead/kernel";
import { createMovableClock } from "@fairlead/kernel/testing";
import type { Link, Role } from "@fairlead/protocol";
import * as fc from "fast-check";
import { sql } from "kysely";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createMemoryAdapter, openBus } from "../../platform/bus/index.ts";
import { type Changes, openChanges } from "../../platform/changes/index.ts";
import type { Store } from "../../platform/store/index.ts";
import { openMemoryStore } from "../../platform/store/memory-store.fixture.ts";
import { createLogger } from "../../platform/telemetry/index.ts";
import { createLinkRegistry, type LinkRegistry, type MovedAgent } from "../links/index.ts";
import { LinkRecord } from "../links/record.ts";
import { type Announcer, createAnnouncer } from "./announcer.ts";
import { createMembership, type Membership } from "./membership.ts";
import { hashSession } from "./pass-on.ts";
import { createRemoteLinks, type RemoteLinks } from "./remote-links.ts";
import { createHubStore } from "./store.ts";
import type { OtherHub } from "./types.ts";

let store: Store;
const hubs: TestHub[] = [];
beforeEach(async () => {
  store = await openMemoryStore();
});
afterEach(async () => {
  for (const hub of hubs.splice(0)) await hub[Symbol.asyncDispose]();
  await store[Symbol.asyncDispose]();
});

it("a link that one holds is there for the others until it ends or its hub takes leave", async () => {
  const [one, two] = [await join("hub_one"), await join("hub_two")];
  const record = one.add("east", "lnk_1");
  await expect.poll(() => reachable(two)).toEqual(["lnk_1"]);
  expect(two.remote.linksOf("hub_one").map(({ id }) => id)).toEqual(["lnk_1"]);
  expect(two.registry.presentOf("east")[0]).toMatchObject({ hello: { agentVersion: "1.2.3" }, roles: ["proxy"] });
  record.enter({ type: "drains" });
  one.registry.refresh("east");
  await expect.poll(() => reachable(two)).toEqual([]);
  expect(two.registry.present()).toHaveLength(1);
  one.registry.remove(record);
  await expect.poll(() => two.registry.present()).toEqual([]);
  one.add("west", "lnk_2");
  await expect.poll(() => two.registry.present()).toHaveLength(1);
  await one[Symbol.asyncDispose]();
  await expect.poll(() => two.registry.present()).toEqual([]);
  expect(two.others()).toEqual([]);
  expect(two.remote.linksOf("hub_one")).toEqual([]);
});

it("a link that waits for its agent, and a hub that nothing leads to, take no streams", async () => {
  const [one, two] = [await join("hub_one"), await join("hub_two")];
  const record = one.add("east", "lnk_1");
  await expect.poll(() => reachable(two)).toEqual(["lnk_1"]);
  two.cut("hub_one");
  expect(reachable(two)).toEqual([]);
  two.heal("hub_one");
  expect(reachable(two)).toEqual(["lnk_1"]);
  (record.link as { state: string }).state = "resuming";
  one.registry.refresh("east");
  await expect.poll(() => reachable(two)).toEqual([]);
});

it("a hub that was silent for six seconds is taken for dead, joins anew and announces all its links", async () => {
  const [one, two] = [await join("hub_one"), await join("hub_two")];
  one.add("east", "lnk_1");
  await expect.poll(() => reachable(two)).toEqual(["lnk_1"]);
  one.freeze();
  await sql`update hub set heartbeat_at = heartbeat_at - interval '7 seconds' where id = 'hub_one'`.execute(store.db);
  await expect.poll(() => two.registry.present()).toEqual([]);
  await one.thaw();
  await expect.poll(() => reachable(two)).toEqual(["lnk_1"]);
});

it("how long a hub has been silent is told by the database's clock, and none has been for less than nothing", async () => {
  await sql`insert into hub (id, address, version, schema_version, started_at, heartbeat_at) values
    ('hub_a', 'a:1', '1', 1, now(), now() + interval '1 hour'),
    ('hub_b', 'b:1', '2', 1, now(), now() - interval '1 hour')`.execute(store.db);
  const [ahead, silent] = await createHubStore({ db: store.db, changes: {} as Changes }).listMembers();
  expect(ahead).toMatchObject({ id: "hub_a", address: "a:1", version: "1", silentMs: 0 });
  expect(silent?.silentMs).toBeGreaterThanOrEqual(3_600_000);
});

it("a hub finds that its tables are gone when it wakes, and one of its version can't join any more", async () => {
  const one = await join("hub_one");
  one.freeze();
  // A newer hub that took this one for dead leaves these tables.
  await sql`delete from hub`.execute(store.db);
  await sql`insert into migration (name, applied_at, floor) values ('9999-removing.sql', now(), 9998)`.execute(
    store.db,
  );
  await one.thaw().catch(() => undefined);
  await expect.poll(() => one.outdated()).toMatchObject({ code: "STORE_NEWER" });
  await expect(join("hub_two")).rejects.toMatchObject({ code: "STORE_NEWER", message: /9999-removing/ });
  expect(await store.db.selectFrom("hub").select("id").execute()).toEqual([]);
});

it("an agent whose words no database takes keeps the links of others from nobody", async () => {
  const [one, two] = [await join("hub_one"), await join("hub_two")];
  one
    .add("east", "lnk_1")
    .enter({ type: "judged", hello: { ...hello, agentVersion: "half \ud83d" }, refusal: undefined });
  one.add("west", "lnk_2");
  await expect.poll(() => reachable(two)).toEqual(["lnk_2"]);
  for (const record of one.registry.list()) one.registry.remove(record);
  await expect.poll(() => reachable(two)).toEqual([]);
});

it("an agent that has a link to another hub is told of once", async () => {
  const [one, two] = [await join("hub_one"), await join("hub_two")];
  one.add("east", "lnk_1");
  await expect.poll(() => two.seen).toHaveLength(1);
  one.registry.refresh("east");
  one.add("east", "lnk_2");
  await expect.poll(() => two.seen).toHaveLength(2);
  expect(two.seen[0]).toEqual({ cluster: "east", agentInstanceId: "agt_lnk_1", keyThumbprint: "key of lnk_1" });
});

it("the link of a session is found by the hash of its name", async () => {
  const [one, two] = [await join("hub_one"), await join("hub_two")];
  const record = one.add("east", "lnk_1");
  await expect.poll(() => two.remote.hubOf(hashSession("session of lnk_1"))).toBe("hub_one");
  one.registry.remove(record);
  await expect.poll(() => two.remote.hubOf(hashSession("session of lnk_1"))).toBeUndefined();
});

it("whatever comes and goes at three hubs, each knows in the end of just those links that the others hold", async () => {
  const all = [await join("hub_one"), await join("hub_two"), await join("hub_three")];
  const change = fc.record({
    hub: fc.nat(2),
    cluster: fc.constantFrom("east", "west", "north"),
    kind: fc.constantFrom("add", "add", "remove", "drain", "forget"),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(change, { maxLength: 25 }), async (changes) => {
      for (const { hub: index, cluster, kind } of changes) {
        const hub = all[index] as TestHub;
        const [first] = hub.registry.own(cluster);
        if (kind === "add") hub.add(cluster);
        else if (kind === "remove" && first) hub.registry.remove(first);
        else if (kind === "drain" && first) {
          first.enter({ type: "drains" });
          hub.registry.refresh(cluster);
        } else if (kind === "forget") await sql`delete from hub where id = ${hub.id}`.execute(store.db);
        if (kind !== "add") await new Promise((resolve) => setImmediate(resolve));
      }
      const held = (hub: TestHub): string[] =>
        hub.registry.list().map(({ id, isDraining }) => `${id} ${isDraining ? "drains" : "serves"}`);
      for (const hub of all) {
        const expected = all.flatMap(held).sort();
        const known = (): string[] =>
          hub.registry
            .present()
            .map(({ id, isDraining }) => `${id} ${isDraining ? "drains" : "serves"}`)
            .sort();
        await expect.poll(known).toEqual(expected);
      }
    }),
    { numRuns: 8 },
  );
}, 120_000);

interface TestHub extends AsyncDisposable {
  readonly id: string;
  readonly registry: LinkRegistry;
  readonly remote: RemoteLinks;
  readonly seen: readonly MovedAgent[];
  others(): readonly OtherHub[];
  outdated(): unknown;
  add(cluster: string, id?: string): LinkRecord;
  /** Between this hub and another. */
  cut(hub: string): void;
  heal(hub: string): void;
  /** It says no more that it lives. */
  freeze(): void;
  thaw(): Promise<void>;
}

async function join(id: string): Promise<TestHub> {
  await using undo = new AsyncDisposableStack();
  const log = createLogger({ level: "silent", name: "test" });
  const clock = systemClock;
  const bus = undo.use(await openBus({ adapter: createMemoryAdapter(), hubInstanceId: id, clock, log }));
  const changes: Changes = undo.use(openChanges({ db: store.db, bus, clock, log }));
  const hubStore = createHubStore({ db: store.db, changes });
  const registry = createLinkRegistry();
  const seen: MovedAgent[] = [];
  const unreachable = new Set<string>();
  let others: readonly OtherHub[] = [];
  let isFrozen = false;
  let outdated: unknown;
  const linkTo = (hub: string): Link | undefined => (unreachable.has(hub) ? undefined : ({ state: "up" } as Link));
  const remote = createRemoteLinks({
    self: id,
    store: hubStore,
    changes,
    registry,
    linkTo,
    onSeen: (agent) => void seen.push(agent),
  });
  const sessionOf = (link: Link): string => (link as Link & { session: string }).session;
  const announcer: Announcer = createAnnouncer({ hub: id, registry, store: hubStore, sessionOf, clock, log });
  const membership: Membership = createMembership({
    store: { ...hubStore, beat: async (self) => (isFrozen ? false : await hubStore.beat(self)) },
    self: { id, address: `${id}:8444`, version: "1.0.0", schemaVersion: store.schemaVersion },
    clock,
    log,
    onJoined: announcer.announceAll,
    onOthers(next) {
      others = next;
      remote.keepOf(next);
    },
    onOutdated(error) {
      outdated = error;
    },
  });
  undo.use(membership);
  undo.use(announcer);
  await membership.beat();
  undo.use(changes.follow("hubs", membership.beat));
  undo.use(changes.follow("links", remote.reread));
  const owned = undo.move();
  let count = 0;
  const hub: TestHub = {
    id,
    registry,
    remote,
    seen,
    others: () => others,
    outdated: () => outdated,
    add(cluster, linkId = `lnk_${id}_${count++}`) {
      const record = createRecord(cluster, linkId);
      registry.add(record);
      return record;
    },
    cut(other) {
      unreachable.add(other);
      remote.refresh(other);
    },
    heal(other) {
      unreachable.delete(other);
      remote.refresh(other);
    },
    freeze() {
      isFrozen = true;
    },
    async thaw() {
      isFrozen = false;
      await membership.beat();
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
  hubs.push(hub);
  return hub;
}

function createRecord(cluster: string, id: string): LinkRecord {
  const roles: Role[] = ["proxy"];
  const link = { state: "up", streamCount: 0, session: `session of ${id}` } as unknown as Link;
  const peer = { cluster, roles, keyThumbprint: `key of ${id}`, serial: "", notAfter: 0, issuer: "", epoch: 1 };
  const record = new LinkRecord({ id, peer, link, remoteAddress: "", clock: createMovableClock(0) });
  record.enter({ type: "judged", hello: { ...hello, agentInstanceId: `agt_${id}` }, refusal: undefined });
  return record;
}

const hello = {
  agentInstanceId: "agt",
  agentVersion: "1.2.3",
  capabilities: ["identity"],
  kubeSystemUid: undefined,
  kubernetesVersion: undefined,
};

function reachable({ registry }: TestHub): string[] {
  return ["east", "west"].flatMap((cluster) => registry.connections(cluster, "proxy").map(({ id }) => id));
}

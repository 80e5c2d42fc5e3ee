import { orAbort, systemClock } from "@fairlead/kernel";
import { formatInventoryRefusal, type Link, toVersion } from "@fairlead/protocol";
import { afterEach, expect, test, vi } from "vitest";
import type { Term } from "../lead/index.ts";
import { type CurrentLink, createCurrentLink } from "../link/index.ts";
import type { ObservedKind, ObservedObject } from "../observe/index.ts";
import { type HubOverLink, MemoryFeed, startHubOverLink } from "./hub-over-link.fixture.ts";
import { ModelStore } from "./model-hub.fixture.ts";
import { createInventorySync, type InventorySync } from "./sync.ts";

const disposables: (() => unknown)[] = [];

afterEach(async () => {
  for (const dispose of disposables.splice(0).reverse()) await dispose();
});

test("what is there and what changes reach the hub, and the call says how old it is", async () => {
  const { feed, store, hub, sync } = await start({ objects: 300 });
  await expect.poll(() => sync.stats().kinds.synced).toBe(1);
  expectSame(store, feed);
  feed.apply("pods", objectOf(7, "changed"));
  feed.delete("pods", "uid-8");
  feed.apply("pods", objectOf(1_000, "new"));
  await expect.poll(() => sync.stats().pendingChanges).toBe(0);
  expectSame(store, feed);
  feed.handler?.onAlive("pods");
  await expect.poll(() => hub.calls[0]?.alive?.ages.length).toBe(1);
  expect(sync.stats()).toMatchObject({ objects: 300, isConnected: true, sessions: 1, fetchedObjects: 0, heldBytes: 0 });
});

test("a link that is lost is followed by another one, and only what differs goes over it", async () => {
  const { feed, store, sync, links, connect, link } = await start({ objects: 300 });
  await expect.poll(() => sync.stats().kinds.synced).toBe(1);
  link.close("cut");
  await expect.poll(() => links.current).toBeUndefined();
  await expect.poll(() => sync.stats().isConnected).toBe(false);
  feed.apply("pods", objectOf(7, "changed"));
  feed.delete("pods", "uid-8");
  const { sentChanges } = sync.stats();
  await connect();
  await expect.poll(() => sync.stats()).toMatchObject({ isConnected: true, pendingChanges: 0, kinds: { synced: 1 } });
  expectSame(store, feed);
  expect(sync.stats().sentChanges).toBe(sentChanges + 2);
});

test("a link that is followed by another one while nothing changed costs a few KiB, however much there is", async () => {
  const { sync, links, connect, link } = await start({ objects: 4_000, kinds: 40 });
  await expect.poll(() => sync.stats().kinds.synced).toBe(40);
  link.close("cut");
  await expect.poll(() => links.current).toBeUndefined();
  const next = await connect();
  await expect.poll(() => sync.stats()).toMatchObject({ isConnected: true, kinds: { synced: 40 } });
  const { received, sent } = next.stats().bytes;
  expect(received + sent).toBeLessThan(8_192);
});

test("a call that the hub doesn't answer is made again", async () => {
  const clock = {
    ...systemClock,
    after: (delayMs: number, callback: () => void) => systemClock.after(delayMs === 60_000 ? 50 : delayMs, callback),
  };
  const { hub, sync, log } = await start({ objects: 10, clock, isSilent: true });
  await expect.poll(() => hub.calls.length).toBeGreaterThan(1);
  expect(log.warn.mock.calls[0]?.[0]).toMatchObject({ err: { code: "INVENTORY_NOT_WELCOMED" } });
  hub.isSilent = false;
  await expect.poll(() => sync.stats().kinds.synced).toBe(1);
});

test("a newer link takes the call over while the older one drains", async () => {
  const { sync, hub, connect } = await start({ objects: 10 });
  await expect.poll(() => sync.stats().kinds.synced).toBe(1);
  await connect();
  await expect.poll(() => hub.calls.length).toBe(2);
  await expect.poll(() => sync.stats().kinds.synced).toBe(1);
});

test("a hub that keeps no inventory isn't called", async () => {
  const { hub, sync, connect } = await start({ objects: 10, capabilities: [] });
  expect(hub.calls).toHaveLength(0);
  await connect(["inventory"]);
  await expect.poll(() => sync.stats().kinds.synced).toBe(1);
});

test("nothing is sent while another process leads, and a lead that is lost ends the call at once", async () => {
  const { hub, sync, lead } = await start({ objects: 10, isLeading: false });
  expect(hub.calls).toHaveLength(0);
  const first = lead.take(5n);
  await expect.poll(() => sync.stats().kinds.synced).toBe(1);
  first.abort();
  await expect.poll(() => sync.stats().isConnected).toBe(false);
  lead.take(6n);
  await expect.poll(() => hub.calls.length).toBe(2);
});

test("a refusal is said once with its code, and asked again", async () => {
  const waits: number[] = [];
  const clock = {
    ...systemClock,
    after(delayMs: number, callback: () => void) {
      waits.push(delayMs);
      return systemClock.after(delayMs === 30_000 ? 5 : delayMs, callback);
    },
  };
  const { hub, sync, log } = await start({
    objects: 3,
    clock,
    refusal: formatInventoryRefusal("INVENTORY_CLUSTER_REPLACED", "another kube-system"),
  });
  await expect.poll(() => waits.filter((wait) => wait === 30_000).length).toBeGreaterThan(2);
  expect(log.error).toHaveBeenCalledTimes(1);
  expect(log.error.mock.calls[0]?.[0]).toMatchObject({ code: "INVENTORY_CLUSTER_REPLACED" });
  hub.refusal = undefined;
  await expect.poll(() => sync.stats().kinds.synced).toBe(1);
});

test("bodies beyond the bound are let go of and fetched again", async () => {
  const { feed, store, sync, connect } = await start({ objects: 0, capabilities: [], maxHeldBytes: 3_000 });
  for (let number = 0; number < 200; number++) feed.apply("pods", objectOf(number, "x".repeat(100)));
  expect(sync.stats().heldBytes).toBeLessThanOrEqual(3_000);
  await connect(["inventory"]);
  await expect.poll(() => sync.stats().kinds.synced).toBe(1);
  expectSame(store, feed);
  expect(feed.fetched).toBeGreaterThan(100);
});

function objectOf(number: number, text: string): ObservedObject {
  const uid = `uid-${number}`;
  const json = new TextEncoder().encode(JSON.stringify({ uid, text }));
  return { uid, namespace: "default", name: `pod-${number}`, version: toVersion(json), json };
}

function expectSame(store: ModelStore, feed: MemoryFeed): void {
  const truth = [...feed.objects].map(([key, objects]) => [
    key,
    Object.fromEntries([...objects.values()].map(({ uid, version }) => [uid, version])),
  ]);
  expect(store.versions()).toEqual(Object.fromEntries(truth));
}

interface Started {
  readonly feed: MemoryFeed;
  readonly store: ModelStore;
  readonly hub: HubOverLink;
  readonly links: CurrentLink;
  readonly sync: InventorySync;
  readonly lead: FakeLead;
  readonly log: Record<"debug" | "info" | "warn" | "error", ReturnType<typeof vi.fn>>;
  readonly link: Link;
  connect(capabilities?: readonly string[]): Promise<Link>;
}

function describeKind(key: string): ObservedKind {
  const names = { resource: key, kind: key, shortNames: [key.slice(0, 2)] };
  return { key, group: "", version: "v1", namespaced: true, ...names };
}

async function start(options: {
  objects: number;
  kinds?: number;
  capabilities?: readonly string[];
  isLeading?: boolean;
  refusal?: Error;
  isSilent?: boolean;
  clock?: typeof systemClock;
  maxHeldBytes?: number;
}): Promise<Started> {
  const {
    objects,
    capabilities = ["inventory"],
    isLeading = true,
    refusal,
    clock = systemClock,
    maxHeldBytes,
  } = options;
  const { kinds = 1 } = options;
  const store = new ModelStore();
  const hub = await startHubOverLink(store, 100_000);
  hub.refusal = refusal;
  hub.isSilent = options.isSilent === true;
  disposables.push(() => hub[Symbol.asyncDispose]());
  const keys = ["pods", ...Array.from({ length: kinds - 1 }, (_, at) => `things${at}`)];
  const feed = new MemoryFeed(keys.map(describeKind));
  for (let number = 0; number < objects; number++) {
    const object = objectOf(number, "first");
    feed.of(keys[number % kinds] as string).set(object.uid, object);
  }
  const links = createCurrentLink();
  const lead = new FakeLead();
  if (isLeading) lead.take(1n);
  const log = { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() };
  const sync = createInventorySync({
    feed,
    links,
    lead,
    clock,
    log,
    instanceId: "agent-1",
    random: () => 0,
    kubeSystemUid: async () => "kube-system-1",
    ...(maxHeldBytes !== undefined && { maxHeldBytes }),
  });
  const stop = new AbortController();
  const run = sync.run(stop.signal);
  disposables.push(async () => {
    stop.abort();
    await run;
  });
  const connect = async (can: readonly string[] = ["inventory"]): Promise<Link> => {
    const link = await hub.dial();
    disposables.push(() => link.close("test is done"));
    links.set({ link, capabilities: can });
    void link.closed.then(() => links.current?.link === link && links.set(undefined));
    return link;
  };
  return { feed, store, hub, links, sync, lead, log, link: await connect(capabilities), connect };
}

class FakeLead {
  #term: Term | undefined;
  #wake: (() => void) | undefined;

  take(epoch: bigint): AbortController {
    const controller = new AbortController();
    this.#term = { epoch, signal: controller.signal };
    this.#wake?.();
    return controller;
  }

  async untilLeading(signal: AbortSignal): Promise<Term> {
    while (!this.#term || this.#term.signal.aborted) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      await orAbort(promise, signal);
    }
    return this.#term;
  }
}

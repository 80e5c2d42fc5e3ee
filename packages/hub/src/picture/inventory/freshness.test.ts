import type { KindState } from "@fairlead/contract";
import { createMovableClock, type MovableClock } from "@fairlead/kernel/testing";
import { expect, it } from "vitest";
import type { KindRow } from "./copy-store.ts";
import { type ClusterRecord, createFreshness, type Freshness } from "./freshness.ts";

function start(): { clock: MovableClock; freshness: Freshness; record: ClusterRecord; hear: () => void } {
  const clock = createMovableClock(Date.UTC(2030, 0, 1));
  const freshness = createFreshness({ clock });
  const record = freshness.need("east");
  record.row = { cluster: "east", kubeSystemUid: "u", leaseEpoch: 1n };
  const hear = (): void => {
    const nowMs = clock.now();
    record.session ??= { startedMs: nowMs, heardMs: nowMs, pendingChanges: 0, oldestPendingMs: undefined };
    record.session.heardMs = nowMs;
  };
  return { clock, freshness, record, hear };
}

function kind(name: string, state: KindState, verifiedMs: number | undefined): KindRow {
  return {
    cluster: "east",
    kind: name,
    group: "",
    version: "v1",
    resource: name,
    kindName: name,
    namespaced: true,
    shortNames: [],
    state,
    sinceMs: 0,
    code: undefined,
    message: undefined,
    verifiedMs,
  };
}

it("a cluster that was never observed is not stale", () => {
  const { clock, freshness } = start();
  clock.move(86_400_000);
  expect(freshness.staleness("west")).toBeUndefined();
});

it("a cluster is stale from the moment on that its agent stopped to report, when it doesn't come back soon", () => {
  const { clock, freshness, record } = start();
  const endedMs = clock.now();
  record.endReason = "The link was lost.";
  clock.move(14_999);
  expect(freshness.staleness("east")).toBeUndefined();
  clock.move(1);
  expect(freshness.staleness("east")).toEqual({ sinceMs: endedMs, reason: "The link was lost." });
});

it("a cluster is stale while its agent is silent", () => {
  const { clock, freshness, hear } = start();
  hear();
  clock.move(20_001);
  expect(freshness.staleness("east")?.reason).toMatch(/silent/);
  hear();
  expect(freshness.staleness("east")).toBeUndefined();
});

it("a cluster is stale when one of its kinds wasn't verified for long, other than one that is told of by itself", () => {
  const { clock, freshness, record, hear } = start();
  const atMs = clock.now();
  record.kinds.set("pods", { row: kind("pods", "synced", atMs), objects: 1 });
  record.kinds.set("jobs", { row: kind("jobs", "unavailable", atMs), objects: 1 });
  clock.move(3_600_000);
  hear();
  expect(freshness.staleness("east")).toMatchObject({ sinceMs: atMs, reason: expect.stringContaining("pods") });
  record.kinds.set("pods", { row: kind("pods", "synced", clock.now() - 5_000), objects: 1 });
  expect(freshness.staleness("east")).toBeUndefined();
  expect(freshness.describe("east")).toMatchObject({ verifiedMs: clock.now() - 5_000 });
});

it("a copy is as old as its oldest kind, and of no age before each kind was there once", () => {
  const { clock, freshness, record } = start();
  record.kinds.set("pods", { row: kind("pods", "synced", clock.now() - 2), objects: 1 });
  record.kinds.set("jobs", { row: kind("jobs", "comparing", clock.now() - 9), objects: 1 });
  expect(freshness.describe("east").verifiedMs).toBe(clock.now() - 9);
  record.kinds.set("nodes", { row: kind("nodes", "listing", undefined), objects: 0 });
  expect(freshness.describe("east").verifiedMs).toBeUndefined();
});

it("what waits grows older while nothing comes", () => {
  const { clock, freshness, record, hear } = start();
  hear();
  if (record.session) record.session.oldestPendingMs = clock.now() - 100;
  clock.move(30_000);
  hear();
  expect(freshness.describe("east").lagMs).toBe(30_100);
  expect(freshness.staleness("east")).toMatchObject({ sinceMs: clock.now() - 30_100 });
});

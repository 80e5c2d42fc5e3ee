// Changes of a cluster's settings, at several hubs on one database.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { eachBus, type OneOfHubs, openSeveralHubs, type SeveralHubs } from "./several-hubs.fixture.ts";
import { toUpdate } from "./update.ts";

describe.each(eachBus)("at hubs %s", (_which, options) => {
  let harness: SeveralHubs;
  let one: OneOfHubs;
  let two: OneOfHubs;
  beforeEach(async () => {
    harness = await openSeveralHubs(options);
    [one, two] = [await harness.openHub(), await harness.openHub()];
    await one.clusters.create({ name: "east", roles: ["proxy"], labels: { env: "test", tier: "1" } });
    await two.changes.settled();
  });
  afterEach(() => harness[Symbol.asyncDispose]());

  it("labels, display name and protection that are changed at one are so at the other, which tells its listeners", async () => {
    const told: string[] = [];
    two.clusters.onChanged(({ cluster }) => told.push(cluster));
    await one.clusters.update("east", {
      by: "alice",
      ...toUpdate("east", { env: "test", tier: "1" }, { labels: { env: "prod", tier: null }, protected: true }),
    });
    await one.clusters.update("east", { by: "alice", displayName: "Payments" });
    const wanted = { labels: { env: "prod" }, displayName: "Payments", protected: true };
    expect(one.clusters.get("east")).toMatchObject(wanted);
    await expect.poll(() => two.clusters.get("east")).toMatchObject(wanted);
    expect(told).toEqual(["east"]);
    expect((await two.clusters.listEvents("east", 2)).map(({ message }) => message)).toEqual([
      "Changed by alice: the display name Payments.",
      "Changed by alice: label env=prod, label tier-, protected.",
    ]);
  });

  it("labels that were others when it was decided stay, and the next try decides by them", async () => {
    const update = toUpdate("east", { env: "test" }, { labels: { env: "prod" } });
    await expect(two.clusters.update("east", { by: "alice", ...update })).rejects.toMatchObject({
      code: "CLUSTER_CHANGED",
      retryable: true,
    });
    await one.clusters.update("east", {
      by: "bob",
      ...toUpdate("east", one.clusters.get("east").labels, { labels: { env: null } }),
    });
    const stale = toUpdate("east", { env: "test", tier: "1" }, { labels: { env: "prod" } });
    await expect(two.clusters.update("east", { by: "alice", ...stale })).rejects.toMatchObject({
      code: "CLUSTER_CHANGED",
    });
    expect(two.clusters.get("east").labels).toEqual({ tier: "1" });
  });

  it("a cluster that one protects isn't deleted or revoked by any, also by who hasn't heard of it", async () => {
    await one.clusters.update("east", { by: "alice", isProtected: true });
    for (const { clusters } of [two, one]) {
      await expect(clusters.remove("east")).rejects.toMatchObject({ code: "CLUSTER_PROTECTED", httpStatus: 409 });
      await expect(clusters.revoke("east", "stolen")).rejects.toMatchObject({ code: "CLUSTER_PROTECTED" });
      expect(clusters.isCurrentEpoch("east", 0)).toBe(true);
    }
    await two.clusters.update("east", { by: "alice", isProtected: false });
    expect((await one.clusters.revoke("east")).state).toBe("revoked");
    await one.clusters.remove("east");
    await expect.poll(() => two.clusters.exists("east")).toBe(false);
  });

  it("a change that changes nothing is no event, and one of a cluster that is gone says so", async () => {
    await one.clusters.update("east", { by: "alice", isProtected: false, displayName: null });
    expect((await one.clusters.listEvents("east", 9)).map(({ type }) => type)).toEqual(["created"]);
    await two.clusters.remove("east");
    await expect(one.clusters.update("east", { by: "alice", isProtected: true })).rejects.toMatchObject({
      code: "CLUSTER_NOT_FOUND",
    });
  });
});

describe("labels", () => {
  it("that are set and removed leave the others, whatever they are called", () => {
    const before = { env: "test", constructor: "a", toString: "b" };
    expect(toUpdate("east", before, { labels: { env: null, valueOf: "c" } }).labels?.after).toEqual({
      constructor: "a",
      toString: "b",
      valueOf: "c",
    });
    expect(toUpdate("east", {}, { labels: { hasOwnProperty: null } }).labels).toBeUndefined();
  });

  it("are at most 64, also when they come one after another", () => {
    const many = Object.fromEntries(Array.from({ length: 64 }, (_, index) => [`l${index}`, ""]));
    expect(toUpdate("east", many, { labels: { l0: null, new: "1" } }).labels?.after).toHaveProperty("new");
    expect(() => toUpdate("east", many, { labels: { new: "1" } })).toThrow(
      expect.objectContaining({ code: "CLUSTER_LABELS_TOO_MANY", httpStatus: 422 }),
    );
  });
});

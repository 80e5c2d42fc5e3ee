// Objects that a set had before, on a real API server; and runs that die half way.
import { afterEach, beforeEach, expect, test } from "vitest";
import { configMap, type Harness, openHarness } from "./harness.fixture.ts";
import { runManifests } from "./run.ts";
import { tellResult } from "./task.fixture.ts";

let harness: Harness;
beforeEach(async () => {
  harness = await openHarness();
});
afterEach(() => harness[Symbol.asyncDispose]());

const keep = { annotations: { "fairlead.dev/prune": "keep" } };

test("a set is made, found unchanged, changed, and pruned, by what it had before", async () => {
  const manifests = [configMap("a", { v: "1" }), configMap("b"), configMap("c")];
  expect((await harness.apply({ manifests })).deeds).toEqual([
    "ConfigMap a: created",
    "ConfigMap b: created",
    "ConfigMap c: created",
  ]);
  expect((await harness.apply({ manifests })).deeds).toEqual([
    "ConfigMap a: unchanged",
    "ConfigMap b: unchanged",
    "ConfigMap c: unchanged",
  ]);
  const left = await harness.apply({ manifests: [configMap("a", { v: "2" })] });
  expect(left.deeds).toEqual(["ConfigMap a: changed", "ConfigMap b: kept", "ConfigMap c: kept"]);
  const pruned = await harness.apply({ manifests: [configMap("a", { v: "2" })], prune: true });
  expect(pruned.deeds).toEqual(["ConfigMap a: unchanged", "ConfigMap b: deleted", "ConfigMap c: deleted"]);
  expect(await harness.names()).toEqual(["a", "fairlead-set-web"]);
  const empty = await harness.apply({ manifests: [], prune: true, allowEmpty: true });
  expect(empty.deeds).toEqual(["ConfigMap a: deleted"]);
  expect(await harness.names()).toEqual([]);
});

test("scenario 19: what was renamed, or moved to another namespace, is deleted where it was", async () => {
  const elsewhere = `${harness.namespace}-2`;
  const home = { apiVersion: "v1", kind: "Namespace", metadata: { name: elsewhere } };
  await harness.apply({ manifests: [home, configMap("a"), configMap("moved")] });
  const moved = configMap("moved", {}, { namespace: elsewhere });
  const { objects } = await harness.apply({ manifests: [home, configMap("renamed"), moved], prune: true });
  expect(objects.map(({ namespace, name, did }) => [namespace, name, did])).toEqual([
    [undefined, elsewhere, "unchanged"],
    [harness.namespace, "renamed", "created"],
    [elsewhere, "moved", "created"],
    [harness.namespace, "a", "deleted"],
    [harness.namespace, "moved", "deleted"],
  ]);
  await harness.send("DELETE", `/api/v1/namespaces/${elsewhere}`);
});

test("scenario 19: what somebody made anew, what says keep, and what another set took over stay", async () => {
  const manifests = [configMap("anew"), configMap("safe", {}, keep), configMap("taken"), configMap("a")];
  await harness.apply({ manifests });
  await harness.send("DELETE", "configmaps/anew");
  await harness.send("POST", "configmaps", configMap("anew", { theirs: "1" }));
  const refused = await harness.apply({ set: "other", manifests: [configMap("taken")] });
  expect(refused.objects).toMatchObject([{ did: "failed", code: "MANIFESTS_OTHER_SET" }]);
  await harness.apply({ set: "other", manifests: [configMap("taken")], force: true });

  const { objects } = await harness.apply({ manifests: [configMap("a")], prune: true });
  expect(objects).toMatchObject([
    { name: "a", did: "unchanged" },
    { name: "anew", did: "kept", code: "MANIFESTS_RECREATED" },
    { name: "safe", did: "kept" },
    { name: "taken", did: "kept", message: `it now belongs to the set ${harness.namespace}/other` },
  ]);
  expect(await harness.names()).toEqual(["a", "anew", "fairlead-set-other", "fairlead-set-web", "safe", "taken"]);
  // An object that has left the set isn't told again.
  expect((await harness.apply({ manifests: [configMap("a")], prune: true })).deeds).toEqual([
    "ConfigMap a: unchanged",
    "ConfigMap safe: kept",
  ]);
});

test("scenario 19: an object that goes between the look and the deletion, and comes again, isn't deleted", async () => {
  await harness.apply({ manifests: [configMap("a"), configMap("b")] });
  let isSwapped = false;
  const swapping = harness.task({ manifests: [configMap("a")], prune: true });
  const request: typeof harness.kube.request = async (asked) => {
    if (asked.method === "DELETE" && !isSwapped) {
      isSwapped = true;
      await harness.send("DELETE", "configmaps/b");
      await harness.send("POST", "configmaps", configMap("b", { theirs: "1" }));
    }
    return harness.kube.request(asked);
  };
  const told = tellResult(await runManifests({ ...swapping, kube: { ...harness.kube, request } }));
  expect(told.objects[1]).toMatchObject({ name: "b", did: "kept", code: "MANIFESTS_RECREATED" });
  expect((await harness.get("configmaps/b"))["data"]).toEqual({ theirs: "1" });
});

test("scenario 19: two changes in a row leave nothing behind, also when the first one fails", async () => {
  await harness.apply({ manifests: [configMap("one")] });
  await harness.apply({ manifests: [configMap("two"), { ...configMap("bad"), sepc: 1 }], prune: true });
  const { deeds } = await harness.apply({ manifests: [configMap("three")], prune: true });
  expect(deeds).toEqual(["ConfigMap three: created", "ConfigMap two: deleted", "ConfigMap one: deleted"]);
});

test("a ConfigMap of somebody else under the inventory's name is left alone, and so is one that can't be read", async () => {
  const foreign = configMap("fairlead-set-web", { theirs: "1" });
  await harness.send("POST", "configmaps", foreign);
  const manifests = [configMap("a")];
  await expect(harness.apply({ manifests })).rejects.toMatchObject({ code: "MANIFESTS_INVENTORY_FOREIGN" });
  await harness.send("PATCH", "configmaps/fairlead-set-web", { metadata: { labels: { "fairlead.dev/set": "web" } } });
  await expect(harness.apply({ manifests, prune: true })).rejects.toMatchObject({
    code: "MANIFESTS_INVENTORY_INVALID",
  });
  expect(await harness.names()).toEqual(["fairlead-set-web"]);
});

test("a run that dies at any effect is gone on with, and ends as one that didn't die", async () => {
  const before = [configMap("old"), configMap("same", { v: "1" }), configMap("changes", { v: "1" })];
  const manifests = [configMap("same", { v: "1" }), configMap("changes", { v: "2" }), configMap("new")];
  const expected = [
    "ConfigMap same: unchanged",
    "ConfigMap changes: changed",
    "ConfigMap new: created",
    "ConfigMap old: deleted",
  ];
  for (let dyingAt = 1; ; dyingAt++) {
    await harness.apply({ manifests: before, prune: true });
    let effects = 0;
    const first = harness.task({
      manifests,
      prune: true,
      beforeEffect: (task) => void (++effects === dyingAt && task.lose()),
    });
    const outcome = await runManifests(first).catch((error: unknown) => error);
    if (effects < dyingAt) {
      expect(dyingAt).toBeGreaterThan(6);
      return;
    }
    expect(outcome).toMatchObject({ code: "COMMAND_LEASE_LOST" });
    const next = await harness.apply({ manifests, prune: true, record: first.record.json });
    expect({ dyingAt, deeds: next.deeds, failure: next.failure }).toEqual({
      dyingAt,
      deeds: expected,
      failure: undefined,
    });
    expect(await harness.names()).toEqual(["changes", "fairlead-set-web", "new", "same"]);
  }
});

test("a run that is lost for good leaves nothing that a later one doesn't find", async () => {
  let effects = 0;
  const lost = harness.task({
    manifests: Array.from({ length: 20 }, (_, index) => configMap(`a${index}`)),
    beforeEffect: (task) => void (++effects === 15 && task.lose()),
  });
  await expect(runManifests(lost)).rejects.toMatchObject({ code: "COMMAND_LEASE_LOST" });
  const made = (await harness.names()).filter((name) => !name.startsWith("fairlead"));
  expect(made.length).toBeGreaterThan(0);
  await harness.apply({ manifests: [configMap("c")], prune: true });
  expect(await harness.names()).toEqual(["c", "fairlead-set-web"]);
});

test("a cancel begins nothing new, tells what was done, and keeps the inventory true", async () => {
  let effects = 0;
  const manifests = Array.from({ length: 40 }, (_, index) => configMap(`c${index}`));
  const cancelled = harness.task({ manifests, beforeEffect: (task) => void (++effects === 10 && task.cancel()) });
  const { failure, objects } = tellResult(await runManifests(cancelled));
  expect(failure?.code).toBe("COMMAND_CANCELLED");
  const made = objects.filter(({ did }) => did === "created").map(({ name }) => name);
  expect(made.length).toBeLessThan(20);
  expect(objects.filter(({ did }) => did === "pending")).toHaveLength(40 - made.length);
  expect((await harness.names()).filter((name) => name.startsWith("c")).sort()).toEqual([...made].sort());
  const { deeds } = await harness.apply({ manifests: [], allowEmpty: true, prune: true });
  expect(deeds).toHaveLength(made.length);
  expect(await harness.names()).toEqual([]);
});

import { until } from "@fairlead/kernel/testing";
import { type GitopsObject, gitopsKinds } from "@fairlead/protocol";
import { sql } from "kysely";
import { expect, it, onTestFinished } from "vitest";
import { holdTransaction } from "../../../platform/store/hold-transaction.fixture.ts";
import { describeHubObjects } from "../hub-objects.contract.fixture.ts";
import type { HubObjects, HubWriteResult } from "../types.ts";
import { openStoreHarness, type StoreHarness } from "./stored-objects-harness.fixture.ts";

describeHubObjects("the hub's own store", () => openStoreHarness());

const { signal } = new AbortController();

it("tells a watch at another hub each change once, in the order of commits", async () => {
  const harness = await openHarness();
  const other = await harness.openHub();
  const seen: string[] = [];
  const watch = watchAll(other, { changed: (object) => void seen.push(object.metadata.resourceVersion ?? "") });
  await until(() => watch.listings === 1, "it was told what is there");
  const written = await Promise.all(
    Array.from({ length: 60 }, async (_, index) => {
      const hub = index % 2 === 0 ? harness.objects : other;
      return await mustWrite(hub, application(`app-${index}`));
    }),
  );
  await until(() => seen.length === 60, "all are told");
  const versions = written.map(({ metadata }) => BigInt(metadata.resourceVersion ?? 0)).sort((a, b) => Number(a - b));
  expect(seen.map(BigInt)).toEqual(versions);
  expect(watch.listings).toBe(1);
});

it("isn't passed by a later write while an earlier one isn't committed", async () => {
  const harness = await openHarness();
  const held = await holdTransaction(harness.store.db, async (trx) => {
    await sql`insert into change_counter (topic, value) values ('gitops-objects', 1)`.execute(trx);
  });
  const writing = mustWrite(harness.objects, application("later"));
  await held.commit();
  expect(BigInt((await writing).metadata.resourceVersion ?? 0)).toBeGreaterThan(1n);
});

it("keeps no more objects, and no larger ones, than a cluster may have, however many ask at once", async () => {
  const limits = { maxObjects: 5, maxBytes: 5_000, maxObjectBytes: () => 2_000 };
  const harness = await openHarness({ keySeed: 1, limits });
  const results = await Promise.all(
    Array.from({ length: 20 }, (_, index) => write(harness.objects, application(`app-${index}`))),
  );
  expect(results.filter(({ is }) => is === "written")).toHaveLength(5);
  expect(results.find(({ is }) => is === "refused")).toMatchObject({ refusal: { reason: "quota" } });
  expect((await write(harness.objects, application("app", { namespace: "another" }))).is).toBe("written");
  const [made] = results.flatMap((result) => (result.is === "written" && result.object ? [result.object] : []));
  if (made === undefined) throw new Error("none was made");
  const large = (bytes: number): GitopsObject => ({ ...made, spec: { text: "x".repeat(bytes) } });
  expect(await write(harness.objects, large(2_000))).toMatchObject({ refusal: { reason: "too-large" } });
  const grown = await mustWrite(harness.objects, large(1_700));
  const other = results.flatMap((result) => (result.is === "written" && result.object ? [result.object] : []))[1];
  const tooMuch = { ...other, spec: { text: "x".repeat(1_700) } } as GitopsObject;
  const third = results.flatMap((result) => (result.is === "written" && result.object ? [result.object] : []))[2];
  await mustWrite(harness.objects, tooMuch);
  expect(await write(harness.objects, { ...third, spec: { text: "x".repeat(1_700) } } as GitopsObject)).toMatchObject({
    refusal: { reason: "quota" },
  });
  // An object that is there may always shrink.
  await mustWrite(harness.objects, { ...grown, spec: {} });
});

it("keeps Secrets of repositories encrypted, and opens them by the key of before as well", async () => {
  const harness = await openHarness({ keySeed: 1 });
  const made = await mustWrite(harness.objects, repository(), "repositories");
  const { body } = await harness.store.db.selectFrom("gitops_object").select("body").executeTakeFirstOrThrow();
  expect(body).not.toContain("hunter2");
  expect(body).not.toContain(Buffer.from("hunter2").toString("base64"));
  const next = await harness.openHub({ keySeed: 2, previousSeed: 1 });
  const name = { kind: "repositories", namespace: "shop", name: "repo" } as const;
  expect(await next.get(name, signal)).toEqual(made);
  const stranger = await harness.openHub({ keySeed: 3 });
  await expect(stranger.get(name, signal)).rejects.toMatchObject({ code: "PKI_KEY_ENCRYPTION_KEY_WRONG" });
});

it("keeps no Secrets where nothing would encrypt them", async () => {
  const harness = await openHarness({ keySeed: undefined });
  expect([...harness.objects.kinds]).toEqual(gitopsKinds.filter((kind) => kind !== "repositories"));
  expect(await write(harness.objects, repository(), "repositories")).toMatchObject({ refusal: { reason: "no-kind" } });
  expect(await harness.store.db.selectFrom("gitops_object").select("uid").execute()).toEqual([]);
});

it("tells all again after the database went back to an older state", async () => {
  const harness = await openHarness();
  const made = await mustWrite(harness.objects, application("shop"));
  const watch = watchAll(harness.objects);
  await until(() => watch.listings === 1, "it was told what is there");
  await sql`update change_counter set value = 1 where topic = 'gitops-objects'`.execute(harness.store.db);
  await until(() => watch.listings > 1, "it is told again");
  expect(watch.listed).toEqual([made.metadata.name]);
});

function watchAll(objects: HubObjects, handler: { changed?: (object: GitopsObject) => void } = {}) {
  const stop = new AbortController();
  const told = { listings: 0, listed: [] as string[] };
  const watching = objects.watch({
    kind: "applications",
    namespace: undefined,
    labelSelector: "",
    signal: stop.signal,
    handler: {
      listed(all) {
        told.listings += 1;
        told.listed = all.map(({ metadata }) => metadata.name);
      },
      changed: (object) => handler.changed?.(object),
      deleted: () => undefined,
      unavailable: () => undefined,
    },
  });
  onTestFinished(async () => {
    stop.abort();
    await watching;
  });
  return told;
}

async function openHarness(options?: Parameters<typeof openStoreHarness>[0]): Promise<StoreHarness> {
  const harness = await openStoreHarness(options);
  onTestFinished(() => harness[Symbol.asyncDispose]());
  return harness;
}

function write(
  objects: HubObjects,
  object: GitopsObject,
  kind: "applications" | "repositories" = "applications",
): Promise<HubWriteResult> {
  return objects.writeContent({ kind, object, fence: undefined, signal });
}

async function mustWrite(...given: Parameters<typeof write>): Promise<GitopsObject> {
  const result = await write(...given);
  if (result.is !== "written" || result.object === undefined) throw new Error(JSON.stringify(result));
  return result.object;
}

function application(name: string, metadata: Partial<GitopsObject["metadata"]> = {}): GitopsObject {
  return {
    apiVersion: "argoproj.io/v1alpha1",
    kind: "Application",
    metadata: { name, namespace: "shop", ...metadata },
    spec: { project: "default" },
  };
}

function repository(): GitopsObject {
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "repo", namespace: "shop", labels: { "argocd.argoproj.io/secret-type": "repository" } },
    data: { password: Buffer.from("hunter2").toString("base64") },
  };
}

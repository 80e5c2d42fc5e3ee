// Objects that clusters share, in the hub's own store.
import { createMovableClock } from "@fairlead/kernel/testing";
import type { GitopsObject } from "@fairlead/protocol";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { openStoreHarness, type StoreHarness } from "../store/stored-objects-harness.fixture.ts";
import type { HubObjects } from "../types.ts";
import { SharedKind } from "./shared-kind.ts";

const signal = new AbortController().signal;
let harness: StoreHarness;
let namespace: string;

beforeAll(async () => {
  harness = await openStoreHarness();
});
afterAll(() => harness?.[Symbol.asyncDispose]());
beforeEach(async () => {
  namespace = await harness.newNamespace();
});

test("two clusters that want the same objects have them read once, and the last that leaves ends it", async () => {
  await put("shop", { description: "one" });
  let watches = 0;
  const ended: string[] = [];
  const { shared } = open({
    watch: async (options) => {
      watches += 1;
      await harness.objects.watch(options).finally(() => ended.push("over"));
    },
  });
  const east = listen();
  const west = listen();
  const first = shared.join(east);
  const second = shared.join(west);
  await expect.poll(() => [east.heard, west.heard]).toEqual([["listed"], ["listed"]]);
  await put("bank", {});
  await expect.poll(() => [east.heard.at(-1), west.heard.at(-1)]).toEqual(["changed bank", "changed bank"]);
  first[Symbol.dispose]();
  expect([watches, ended, shared.objects.size]).toEqual([1, [], 2]);
  second[Symbol.dispose]();
  await expect.poll(() => ended).toEqual(["over"]);
  expect([shared.isListed, shared.objects.size]).toEqual([false, 0]);
});

test("more objects than the hub keeps leave clusters as they are, are logged once, and go on when there are fewer", async () => {
  const { shared, clock, logged } = open({}, { maxObjects: 2, maxBytes: 1_000_000 });
  for (const name of ["a", "b"]) await put(name, {});
  const heard = listen();
  using _joined = shared.join(heard);
  await expect.poll(() => shared.isListed).toBe(true);
  await put("c", {});
  await expect.poll(() => heard.heard.at(-1)).toBe("unlisted");
  expect([shared.isListed, shared.objects.size, logged.length]).toEqual([false, 2, 1]);
  await drop("c");
  await expect
    .poll(() => {
      clock.move(30_000);
      return shared.isListed;
    })
    .toBe(true);
  expect(logged).toHaveLength(1);
});

test("objects that stay on the hub, such as mirrors of autonomous clusters, take no room from others and are told to nobody", async () => {
  const labels = { "fairlead.dev/ignore-sync": "true" };
  for (const name of ["mirror-a", "mirror-b", "mirror-c"]) await put(name, {}, labels);
  await put("moved", {}, { "argocd-agent.argoproj-labs.io/ignore-sync": "true" });
  await put("shop", {});
  const { shared, logged } = open({}, { maxObjects: 1, maxBytes: 1_000_000 });
  const heard = listen();
  using _joined = shared.join(heard);
  await expect.poll(() => shared.isListed).toBe(true);
  const { metadata } = await put("mirror-d", {}, labels);
  expect(await shared.look(metadata.uid ?? "", "mirror-d", signal)).toBeUndefined();
  await put("shop", {}, labels, await find("shop"));
  await expect.poll(() => heard.heard.at(-1)).toBe("deleted shop");
  expect([heard.heard, logged]).toEqual([["listed", "deleted shop"], []]);
});

test("larger objects than the hub keeps aren't taken either", async () => {
  await put("large", { description: "x".repeat(2_000) });
  const { shared, logged } = open({}, { maxObjects: 10, maxBytes: 2_000 });
  using _joined = shared.join(listen());
  await expect.poll(() => logged).toMatchObject([{ kind: "projects" }]);
  expect([shared.isListed, shared.objects.size]).toEqual([false, 0]);
});

test("a look finds the object, and not another one that has its name", async () => {
  const { metadata } = await put("shop", {});
  const { shared } = open();
  expect(await shared.look(metadata.uid ?? "", "shop", signal)).toMatchObject({ name: "shop" });
  expect(await shared.look("another", "shop", signal)).toBeUndefined();
});

function open(port: Partial<HubObjects> = {}, limits = { maxObjects: 100, maxBytes: 1_000_000 }) {
  const clock = createMovableClock();
  const logged: object[] = [];
  const log = { warn: (fields: object) => void logged.push(fields) };
  const objects = {
    watch: (options: Parameters<HubObjects["watch"]>[0]) => harness.objects.watch(options),
    get: (...given: Parameters<HubObjects["get"]>) => harness.objects.get(...given),
    ...port,
  };
  return { shared: new SharedKind({ objects, kind: "projects", namespace, limits, clock, log }), clock, logged };
}

function listen() {
  const heard: string[] = [];
  return {
    heard,
    listed: () => void heard.push("listed"),
    changed: ({ name }: { readonly name: string }) => void heard.push(`changed ${name}`),
    deleted: ({ name }: { readonly name: string }) => void heard.push(`deleted ${name}`),
    unlisted: () => void heard.push("unlisted"),
  };
}

async function put(name: string, spec: object, labels = {}, there?: GitopsObject): Promise<GitopsObject> {
  const metadata = { ...(there?.metadata ?? { name, namespace }), labels };
  const object = { apiVersion: "argoproj.io/v1alpha1", kind: "AppProject", metadata, spec };
  const result = await harness.objects.writeContent({ kind: "projects", object, fence: undefined, signal });
  if (result.is !== "written" || result.object === undefined) throw new Error(JSON.stringify(result));
  return result.object;
}

function find(name: string): Promise<GitopsObject | undefined> {
  return harness.objects.get({ kind: "projects", namespace, name }, signal);
}

async function drop(name: string): Promise<void> {
  const uid = (await find(name))?.metadata.uid ?? "";
  await harness.objects.remove({ kind: "projects", namespace, name, uid, fence: undefined, signal });
}

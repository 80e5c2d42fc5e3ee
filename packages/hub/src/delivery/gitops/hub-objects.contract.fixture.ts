// Tests of the port that both of its adapters have to pass. The adapters' test files say how each is opened.
import { until } from "@fairlead/kernel/testing";
import type { GitopsObject } from "@fairlead/protocol";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { HubObjects, HubWrite, HubWriteResult, OwnershipFence } from "./types.ts";

export interface ContractHarness extends AsyncDisposable {
  readonly objects: HubObjects;
  /** Another one each time. */
  newNamespace(): Promise<string>;
  /** Ends the former ownership. */
  own(cluster: string): Promise<OwnershipFence>;
}

export function describeHubObjects(name: string, open: () => Promise<ContractHarness>): void {
  describe(name, () => {
    let harness: ContractHarness;
    let objects: HubObjects;
    let namespace: string;
    let fence: OwnershipFence;
    beforeAll(async () => {
      harness = await open();
      ({ objects } = harness);
    });
    afterAll(() => harness?.[Symbol.asyncDispose]());
    beforeEach(async () => {
      namespace = await harness.newNamespace();
      fence = await harness.own(namespace);
    });

    it("makes an object, and gives it as it is from then on", async () => {
      const made = await make("shop");
      expect(made.metadata.uid).toMatch(/./);
      expect(made.metadata.resourceVersion).toMatch(/^\d+$/);
      expect(made.metadata["creationTimestamp"]).toMatch(/^\d{4}-/);
      expect(withoutManaged(await get("shop"))).toEqual(withoutManaged(made));
      expect(await get("other")).toBeUndefined();
      expect(await write(application("shop"))).toEqual({ is: "conflict" });
    });

    it("writes over what was read, and not over what somebody wrote since", async () => {
      const made = await make("shop");
      const first = await mustWrite({ ...made, spec: specOf("one") });
      expect(BigInt(first.metadata.resourceVersion ?? 0)).toBeGreaterThan(BigInt(made.metadata.resourceVersion ?? 0));
      expect(await write({ ...made, spec: specOf("two") })).toEqual({ is: "conflict" });
      expect((await get("shop"))?.["spec"]).toEqual(specOf("one"));
    });

    it("writes nothing where nothing changes", async () => {
      const made = await make("shop");
      const again = await mustWrite(made);
      expect(again.metadata.resourceVersion).toBe(made.metadata.resourceVersion);
    });

    it("takes status and operation, and makes nothing by that", async () => {
      expect(await write(application("shop"), "writeStatus")).toMatchObject({
        is: expect.not.stringMatching("written"),
      });
      const made = await make("shop");
      const operation = { sync: { revision: "main" } };
      const written = await mustWrite({ ...made, operation, status: { sync: { status: "Synced" } } }, "writeStatus");
      expect(written).toMatchObject({ operation, status: { sync: { status: "Synced" } }, spec: specOf("shop") });
      const { operation: _, ...without } = written;
      expect(await mustWrite(without as GitopsObject, "writeStatus")).not.toHaveProperty("operation");
    });

    it("says that an object is missing that went, or that another has taken its name", async () => {
      const made = await make("shop");
      expect(await remove(made)).toEqual({ is: "written", object: undefined });
      expect(await get("shop")).toBeUndefined();
      expect(await remove(made)).toEqual({ is: "missing" });
      expect(await write(made)).toEqual({ is: "missing" });
      const other = await make("shop");
      expect(await remove(made)).toEqual({ is: "missing" });
      expect((await write(made)).is).not.toBe("written");
      expect((await get("shop"))?.metadata.uid).toBe(other.metadata.uid);
    });

    it("keeps an object that is being deleted until its finalizers are gone", async () => {
      const made = await make("shop", { finalizers: [finalizer] });
      expect(await remove(made)).toEqual({ is: "written", object: undefined });
      const there = await mustGet("shop");
      expect(there.metadata.deletionTimestamp).toMatch(/^\d{4}-/);
      expect(await remove(made)).toEqual({ is: "written", object: undefined });
      const more = { ...there, metadata: { ...there.metadata, finalizers: [finalizer, "fairlead.dev/more"] } };
      expect(await write(more, "writeFinalizers")).toMatchObject({ is: "refused", refusal: { reason: "invalid" } });
      await mustWrite({ ...there, metadata: { ...there.metadata, finalizers: [] } }, "writeFinalizers");
      expect(await get("shop")).toBeUndefined();
    });

    it("doesn't let a write end a deletion, or begin one", async () => {
      const made = await make("shop", { finalizers: [finalizer] });
      const { metadata } = made;
      const wanted = {
        ...made,
        metadata: { ...metadata, deletionTimestamp: "2030-01-01T00:00:00Z" },
        spec: specOf("x"),
      };
      await write(wanted);
      expect((await mustGet("shop")).metadata.deletionTimestamp).toBeUndefined();
      await remove(made);
      const { deletionTimestamp: _, ...undeleted } = (await mustGet("shop")).metadata;
      await write({ ...made, metadata: undeleted, spec: specOf("y") } as GitopsObject);
      expect((await mustGet("shop")).metadata.deletionTimestamp).toMatch(/^\d{4}-/);
    });

    it("refuses the writes of an owner before", async () => {
      const made = await make("shop", { finalizers: [finalizer] });
      const old = fence;
      fence = await harness.own(namespace);
      const changed = { ...made, spec: specOf("late") };
      for (const how of ["writeContent", "writeStatus", "writeFinalizers"] as const)
        expect(await objects[how]({ kind, object: changed, fence: old, signal })).toEqual({ is: "fenced" });
      expect(await objects.writeContent({ kind, object: application("new"), fence: old, signal })).toEqual({
        is: "fenced",
      });
      const { uid = "" } = made.metadata;
      expect(await objects.remove({ kind, namespace, name: "shop", uid, fence: old, signal })).toEqual({
        is: "fenced",
      });
      expect((await mustGet("shop"))["spec"]).toEqual(specOf("shop"));
      await mustWrite(changed);
    });

    it("lets people write, whoever owns the cluster's sync", async () => {
      const { is } = await objects.writeContent({ kind, object: application("shop"), fence: undefined, signal });
      expect(is).toBe("written");
    });

    it("refuses what is no application", async () => {
      const invalid = { ...application("shop"), metadata: { name: "Shop!", namespace } };
      expect(await write(invalid)).toMatchObject({ is: "refused", refusal: { reason: "invalid" } });
    });

    it("tells a watch what is there, and each change after that", async () => {
      await make("before", { labels: { team: "a" } });
      await make("unlabelled");
      using watch = startWatch("team=a");
      await until(() => watch.listings.length > 0, "it was told what is there");
      expect(watch.listings[0]).toEqual(["before"]);
      const made = await make("shop", { labels: { team: "a" } });
      await make("unseen", { labels: { team: "b" } });
      const other = await harness.newNamespace();
      await objects.writeContent({
        kind,
        object: application("elsewhere", { namespace: other, labels: { team: "a" } }),
        fence: undefined,
        signal,
      });
      const changed = await mustWrite({ ...made, spec: specOf("changed") });
      await until(
        () => watch.last("shop")?.["spec"] !== undefined && sameSpec(watch.last("shop"), changed),
        "the change",
      );
      await remove(changed);
      await until(() => watch.log.at(-1) === "deleted shop", "the deletion");
      expect(new Set(watch.log)).toEqual(new Set(["changed shop", "deleted shop"]));
    });

    it("tells a watch of an object whose labels don't fit any more that it went", async () => {
      const made = await make("shop", { labels: { team: "a" } });
      using watch = startWatch("team=a");
      await until(() => watch.listings.length > 0, "it was told what is there");
      await mustWrite({ ...made, metadata: { ...made.metadata, labels: { team: "b" } } });
      await until(() => watch.log.includes("deleted shop"), "it went");
    });

    it("tells a watch the newest state of each object, whoever writes meanwhile", async () => {
      using watch = startWatch("");
      const names = ["a", "b", "c", "d"];
      const newest = await Promise.all(
        names.map(async (each) => {
          let object = await make(each);
          for (let round = 0; round < 10; round += 1)
            object = await mustWrite({ ...object, spec: specOf(`${each}-${round}`) });
          return object;
        }),
      );
      await until(() => newest.every((object) => sameSpec(watch.last(object.metadata.name), object)), "all are told");
    });

    const kind = "applications";
    const { signal } = new AbortController();

    function application(named: string, metadata: Partial<GitopsObject["metadata"]> = {}): GitopsObject {
      return {
        apiVersion: "argoproj.io/v1alpha1",
        kind: "Application",
        metadata: { name: named, namespace, ...metadata },
        spec: specOf(named),
      };
    }

    function write(object: GitopsObject, how: Way = "writeContent"): Promise<HubWriteResult> {
      return objects[how]({ kind, object, fence, signal } satisfies HubWrite);
    }

    async function mustWrite(object: GitopsObject, how?: Way): Promise<GitopsObject> {
      const result = await write(object, how);
      if (result.is !== "written" || result.object === undefined) throw new Error(JSON.stringify(result));
      return result.object;
    }

    function make(named: string, metadata?: Partial<GitopsObject["metadata"]>): Promise<GitopsObject> {
      return mustWrite(application(named, metadata));
    }

    function get(named: string): Promise<GitopsObject | undefined> {
      return objects.get({ kind, namespace, name: named }, signal);
    }

    async function mustGet(named: string): Promise<GitopsObject> {
      const found = await get(named);
      if (found === undefined) throw new Error(`${named} isn't there`);
      return found;
    }

    function remove({ metadata: { name: named, uid = "" } }: GitopsObject): Promise<HubWriteResult> {
      return objects.remove({ kind, namespace, name: named, uid, fence, signal });
    }

    function startWatch(labelSelector: string): StartedWatch {
      const stop = new AbortController();
      const listings: string[][] = [];
      const log: string[] = [];
      const known = new Map<string, GitopsObject>();
      void objects
        .watch({
          kind,
          namespace,
          labelSelector,
          signal: stop.signal,
          handler: {
            listed(all) {
              listings.push(all.map(({ metadata }) => metadata.name));
              for (const each of all) known.set(each.metadata.name, each);
            },
            changed(object) {
              log.push(`changed ${object.metadata.name}`);
              known.set(object.metadata.name, object);
            },
            deleted: ({ metadata }) => void log.push(`deleted ${metadata.name}`),
            unavailable: (reason) => void log.push(`unavailable ${reason}`),
          },
        })
        .catch((error: unknown) => log.push(`ended ${String(error)}`));
      return { listings, log, last: (named) => known.get(named), [Symbol.dispose]: () => stop.abort() };
    }
  });
}

function specOf(path: string): object {
  return {
    project: "default",
    destination: { name: "in-cluster", namespace: "shop" },
    source: { repoURL: "https://git.example/shop.git", path },
  };
}

function sameSpec(left: GitopsObject | undefined, right: GitopsObject): boolean {
  return JSON.stringify(left?.["spec"]) === JSON.stringify(right["spec"]);
}

function withoutManaged(object: GitopsObject | undefined): unknown {
  if (object === undefined) return undefined;
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

interface StartedWatch extends Disposable {
  readonly listings: readonly string[][];
  readonly log: readonly string[];
  last(name: string): GitopsObject | undefined;
}

type Way = "writeContent" | "writeStatus" | "writeFinalizers";

const finalizer = "resources-finalizer.argocd.argoproj.io";

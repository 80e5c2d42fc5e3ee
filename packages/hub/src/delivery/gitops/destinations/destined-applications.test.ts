import { setImmediate as turn } from "node:timers/promises";
import { createMovableClock, type MovableClock } from "@fairlead/kernel/testing";
import type { GitopsObject } from "@fairlead/protocol";
import { expect, test } from "vitest";
import type { HubObjects, HubObjectsHandler } from "../types.ts";
import {
  createDestinedApplications,
  type DestinedHandler,
  type DestinedLimits,
  type DestinedOptions,
} from "./destined-applications.ts";

test("each cluster is told its own applications, by one watch for all of them", async () => {
  const harness = open();
  const [east, west] = [harness.follow("east"), harness.follow("west")];
  await turn();
  harness.list([
    application("a", "east"),
    application("b", "west"),
    application("c", "in-cluster"),
    application("d", ""),
  ]);
  expect([east.told, west.told]).toEqual([["listed a"], ["listed b"]]);
  harness.change(application("e", "west"));
  harness.remove(application("a", "east"));
  harness.remove(application("c", "in-cluster"));
  expect([east.told, west.told]).toEqual([
    ["listed a", "deleted a"],
    ["listed b", "changed e"],
  ]);
  expect(harness.watches.length).toBe(1);
  const late = harness.follow("north");
  expect(late.told).toEqual(["listed "]);
});

test("an application that gets another destination goes from the one and comes to the other", async () => {
  const harness = open();
  const [east, west] = [harness.follow("east"), harness.follow("west")];
  await turn();
  harness.list([application("a", "east")]);
  harness.change(application("a", "west"));
  expect([east.told.at(-1), west.told.at(-1)]).toEqual(["deleted a", "changed a"]);
  harness.change(application("a", "in-cluster"));
  expect(west.told.at(-1)).toBe("deleted a");
  harness.change(application("a", "east"));
  expect(east.told.at(-1)).toBe("changed a");
  harness.change(application("a", "east", { labels: { "fairlead.dev/ignore-sync": "true" } }));
  expect(east.told.at(-1)).toBe("deleted a");
  expect([east.told.length, west.told.length]).toEqual([4, 3]);
});

test("a namespace that becomes another cluster's own takes its applications away, and gives them back", async () => {
  const harness = open();
  const east = harness.follow("east");
  await turn();
  harness.list([application("a", "east", { namespace: "team-x" }), application("b", "east")]);
  expect(east.told).toEqual(["listed a,b"]);
  harness.exchanging.push("team-x");
  harness.destined.refresh();
  await turn();
  expect(east.told.slice(1)).toEqual(["deleted a"]);
  expect(harness.destined.isOwn(application("a", "east", { namespace: "team-x" }), "east")).toBe(false);
  harness.exchanging.pop();
  harness.clock.move(5_000);
  await turn();
  expect(east.told.slice(2)).toEqual(["changed a"]);
});

test("nothing is told before it is known which clusters exchange applications", async () => {
  const harness = open();
  harness.unreadable = true;
  const east = harness.follow("east");
  await turn();
  expect([harness.watches.length, east.told, harness.reasons]).toEqual([
    0,
    [],
    [expect.stringContaining("the database is away")],
  ]);
  harness.unreadable = false;
  harness.clock.move(30_000);
  await turn();
  harness.list([application("a", "east")]);
  expect(east.told.at(-1)).toBe("listed a");
});

test("when there are too many nothing is deleted, and it goes on when there are fewer", async () => {
  const harness = open({ maxObjects: 2, maxBytes: 100_000 });
  const east = harness.follow("east");
  await turn();
  harness.list([application("a", "east"), application("b", "west"), application("c", "in-cluster")]);
  harness.change(application("d", "west"));
  expect([east.told, harness.reasons]).toEqual([["listed a"], [expect.stringMatching(/^More than 2/)]]);
  harness.remove(application("a", "east"));
  await turn();
  harness.clock.move(30_000);
  await turn();
  harness.list([application("a", "east"), application("large", "east", { note: "x".repeat(100_000) })]);
  expect([east.told, harness.reasons.length]).toEqual([["listed a"], 1]);
  await turn();
  harness.clock.move(30_000);
  await turn();
  harness.list([application("a", "east")]);
  expect(east.told.at(-1)).toBe("listed a");
});

test("when nobody follows any more the watch ends, and the next one begins anew", async () => {
  const harness = open();
  const stop = new AbortController();
  harness.follow("east", stop.signal);
  await turn();
  harness.list([application("a", "east")]);
  stop.abort();
  await turn();
  expect(harness.watches[0]?.signal.aborted).toBe(true);
  const next = harness.follow("east");
  await turn();
  expect([harness.watches.length, next.told]).toEqual([2, []]);
});

interface Harness {
  readonly destined: ReturnType<typeof createDestinedApplications>;
  readonly clock: MovableClock;
  readonly exchanging: string[];
  readonly watches: Parameters<HubObjects["watch"]>[0][];
  /** The reasons that were logged. */
  readonly reasons: string[];
  unreadable: boolean;
  follow(cluster: string, signal?: AbortSignal): { readonly told: string[] };
  list(objects: readonly GitopsObject[]): void;
  change(object: GitopsObject): void;
  remove(object: GitopsObject): void;
}

function open(limits?: DestinedLimits): Harness {
  const clock = createMovableClock();
  const exchanging = ["east", "west"];
  const watches: Harness["watches"] = [];
  const reasons: string[] = [];
  const options: DestinedOptions = {
    objects: {
      watch(watch) {
        watches.push(watch);
        return new Promise((_, reject) => watch.signal.addEventListener("abort", () => reject(watch.signal.reason)));
      },
    },
    rules: { argoNamespace: "argocd", applicationNamespaces: ["team-*"] },
    async listExchanging() {
      if (harness.unreadable) throw new Error("the database is away");
      return [...exchanging];
    },
    ...(limits && { limits }),
    clock,
    log: { warn: ({ reason }: { reason?: string }) => void (reason && reasons.push(reason)) },
  };
  const destined = createDestinedApplications(options);
  const handler = (): HubObjectsHandler | undefined => watches.at(-1)?.handler;
  const harness: Harness = {
    destined,
    clock,
    exchanging,
    watches,
    reasons,
    unreadable: false,
    follow(cluster, signal = new AbortController().signal) {
      const told: string[] = [];
      const following: DestinedHandler = {
        listed: (all) => void told.push(`listed ${all.map(({ metadata }) => metadata.name).join(",")}`),
        changed: ({ metadata }) => void told.push(`changed ${metadata.name}`),
        deleted: ({ metadata }) => void told.push(`deleted ${metadata.name}`),
      };
      void destined.follow(cluster, following, signal);
      return { told };
    },
    list: (objects) => handler()?.listed(objects),
    change: (object) => handler()?.changed(object),
    remove: (object) => handler()?.deleted(object),
  };
  return harness;
}

function application(name: string, destination: string, more: object = {}): GitopsObject {
  const metadata = { name, namespace: "argocd", uid: `uid-${name}`, ...more };
  return {
    apiVersion: "argoproj.io/v1alpha1",
    kind: "Application",
    metadata,
    spec: { destination: { name: destination } },
  };
}

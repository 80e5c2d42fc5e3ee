// The chart gives the right to read what the agent observes by itself, and no more: one list in two languages.
import {
  type ClusterObject,
  examineCluster,
  fairlead,
  resourceOf,
  resourcesNeeded,
  type Snapshot,
} from "@fairlead/doctor";
import type { ApiResource } from "@fairlead/kube";
import { type Helm, openHelm } from "@fairlead/testkit";
import { listStandIns, readStandIn } from "@fairlead/testkit/stand-ins";
import { afterAll, beforeAll, expect, test } from "vitest";
import { chooseKinds } from "./choose-kinds.ts";
import { defaultKinds } from "./default-kinds.ts";

let helm: Helm;
beforeAll(async () => {
  helm = await openHelm();
});
afterAll(() => helm?.[Symbol.asyncDispose]());

test.each([
  ["nothing", {}],
  ["included kinds", { include: ["configmaps", "secrets", "things.example.com"] }],
  ["excluded kinds and groups", { exclude: ["events", "*.apps", "ingresses.networking.k8s.io"] }],
  ["only some", { exclude: ["*"], include: ["pods", "deployments.apps"] }],
  ["a group without one", { include: ["*.example.com", "rollouts.argoproj.io"], exclude: ["*.argoproj.io"] }],
])("with %s said, the rights are those of the agent's own choice", async (_what, said: Said) => {
  const { include = [], exclude = [] } = said;
  const candidates = [...defaultKinds, "configmaps", "secrets", "things.example.com", "others.example.com"];
  const chosen = chooseKinds(candidates.map(toResource), { include, exclude, namespaces: [] });
  const rules = await rulesOf(said);
  const readable = candidates.filter((key) => rules.some((rule) => covers(rule, toResource(key))));
  expect(readable.sort()).toEqual(
    chosen.map(({ group, resource }) => (group ? `${resource}.${group}` : resource)).sort(),
  );
  expect(new Set(rules.flatMap(({ verbs }) => verbs))).toEqual(new Set(["get", "list", "watch"]));
});

test("for checks a few more kinds may be listed, and ConfigMaps read one by one, by their names", async () => {
  const plain = await rulesOf({});
  const more = (await rulesOf({ doctor: true })).slice(plain.length - 1, -1);
  expect(new Set(more.slice(0, -1).flatMap(({ verbs }) => verbs))).toEqual(new Set(["list"]));
  expect(more.flatMap(({ resources }) => resources)).not.toContain("secrets");
  expect(more.flatMap(({ apiGroups }) => apiGroups)).not.toContain("metrics.k8s.io");
  const [configMaps] = more.slice(-1);
  expect(configMaps).toMatchObject({ apiGroups: [""], resources: ["configmaps"], verbs: ["get"] });
  expect(configMaps?.resourceNames).toContain("argocd-cm");
});

test("all that checks look at in addons of every shape may be read", async () => {
  const rules = await rulesOf({ doctor: true, probes: true });
  const looked = new Set(listStandIns().flatMap((path) => [...resourcesLookedAt(readStandIn(path))]));
  expect(looked.size).toBeGreaterThan(10);
  const unreadable = [...looked].filter((key) => !rules.some((rule) => covers(rule, toResource(key))));
  expect(unreadable).toEqual([]);
});

function resourcesLookedAt(objects: readonly ClusterObject[]): readonly string[] {
  const byResource = Map.groupBy(objects, (object) => resourceOf(object));
  const sightings = new Map([...byResource].map(([key, found]) => [key, { is: "seen", objects: found } as const]));
  const parts = { sightings, configMaps: new Map(), otherConfigMaps: "missing" } as const;
  const examine = (snapshot: Snapshot) => examineCluster({ snapshot, profile: fairlead, now: new Date(0) });
  return resourcesNeeded({ parts, examine }).resources;
}

interface Said {
  readonly include?: readonly string[];
  readonly exclude?: readonly string[];
  readonly doctor?: boolean;
  readonly probes?: boolean;
}

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  readonly resourceNames?: readonly string[];
}

async function rulesOf({ doctor = false, probes = false, ...choice }: Said): Promise<Rule[]> {
  const values = {
    hub: { url: "https://hub.example.com" },
    token: { existingSecret: "join" },
    proxy: { enabled: false },
    observe: { enabled: true, doctor: { enabled: doctor, probes: { enabled: probes } }, ...choice },
  };
  const objects = await helm.render({ chart: "fairlead-agent", values });
  return objects.filter(({ kind }) => kind === "ClusterRole").flatMap((role) => role["rules"] as Rule[]);
}

function covers({ apiGroups, resources, resourceNames }: Rule, { group, resource }: ApiResource): boolean {
  const has = (list: readonly string[], name: string): boolean => list.includes(name) || list.includes("*");
  return resourceNames === undefined && has(apiGroups, group) && has(resources, resource);
}

function toResource(key: string): ApiResource {
  const [resource = "", ...group] = key.split(".");
  const names = { kind: resource, singular: resource, shortNames: [], categories: [] };
  return { group: group.join("."), version: "v1", resource, namespaced: true, verbs: ["list", "watch"], ...names };
}

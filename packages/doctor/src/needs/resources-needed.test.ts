import { expect, test } from "vitest";
import type { Snapshot, SnapshotParts } from "../snapshot/index.ts";
import { resourcesNeeded } from "./resources-needed.ts";

const nothing: SnapshotParts = { sightings: new Map(), configMaps: new Map() };
const deployment = { metadata: { namespace: "jobs", name: "controller" } };

function examine(snapshot: Snapshot): string {
  snapshot.isServed("workflows.argoproj.io");
  for (const { metadata } of snapshot.listSeen("deployments.apps")) {
    snapshot.readConfigMap(metadata.namespace ?? "", `${metadata.name}-config`);
    snapshot.isWhole("appprojects.argoproj.io");
  }
  return "done";
}

test("what is looked at is needed; a question whether a resource is served needs no objects of it", () => {
  expect(resourcesNeeded({ parts: nothing, examine })).toEqual({
    resources: ["deployments.apps"],
    configMaps: [],
    examined: "done",
  });
});

test("what was read tells what else is needed, such as a ConfigMap by its name", () => {
  const sightings = new Map([["deployments.apps", { is: "seen", objects: [deployment] } as const]]);
  expect(resourcesNeeded({ parts: { ...nothing, sightings }, examine })).toEqual({
    resources: ["appprojects.argoproj.io", "deployments.apps"],
    configMaps: [{ namespace: "jobs", name: "controller-config" }],
    examined: "done",
  });
});

test("Secrets are never needed, nor are all ConfigMaps", () => {
  const greedy = (snapshot: Snapshot) => ["secrets", "configmaps", "nodes"].map((each) => snapshot.listSeen(each));
  expect(resourcesNeeded({ parts: nothing, examine: greedy }).resources).toEqual(["nodes"]);
});

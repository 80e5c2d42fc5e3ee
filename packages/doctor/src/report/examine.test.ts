import { expect, test } from "vitest";
import { fairlead } from "../profiles/index.ts";
import { type ClusterObject, snapshotOfObjects } from "../snapshot/index.ts";
import { clusterOf, readStandIn } from "../testing/stand-ins.fixture.ts";
import { examineCluster } from "./examine.ts";

test("an addon is found by its image, wherever it came from and whoever mirrored it", () => {
  const { addons, clusterType } = examineCluster({ snapshot: clusterOf("metrics-server/upstream"), ...at });
  expect(clusterType).toMatchObject({ type: "generic", isOverridden: false });
  expect(addons.find(({ id }) => id === "metrics-server")).toMatchObject({
    state: "healthy",
    installation: { provenance: { is: "manifests" }, version: "0.8.1" },
  });
});

test("without pods that are ready it is degraded, and says how many are", () => {
  const objects = readStandIn("metrics-server/upstream").map((object): ClusterObject => ({ ...object, status: {} }));
  expect(reportOf(objects)).toMatchObject({
    state: "degraded",
    message: "deployments.apps kube-system/metrics-server has 0 of 1 pods ready.",
  });
});

test("where workloads may not be read an addon is unknown, never absent", () => {
  const hidden = new Map([["deployments.apps", "forbidden"]]);
  const snapshot = snapshotOfObjects({ objects: [], isComplete: true, hidden });
  const report = examineCluster({ snapshot, ...at });
  expect(report.addons.find(({ id }) => id === "metrics-server")?.state).toBe("unknown");
  expect(report.hidden).toEqual([{ resource: "deployments.apps", why: "forbidden" }]);
  expect(report.features.find(({ feature }) => feature === "autoscaling-by-cpu")?.state).toBe("unknown");
});

test("without it, what it unlocks is blocked", () => {
  const { features } = examineCluster({ snapshot: snapshotOfObjects({ objects: [], isComplete: true }), ...at });
  expect(features.find(({ feature }) => feature === "autoscaling-by-cpu")).toEqual({
    feature: "autoscaling-by-cpu",
    state: "blocked",
    because: [{ addon: "metrics-server", message: "metrics-server isn't in the cluster." }],
  });
});

const at = { profile: fairlead, now: new Date("2026-01-01T00:00:00Z") };

function reportOf(objects: readonly ClusterObject[]) {
  const snapshot = snapshotOfObjects({ objects, isComplete: true });
  return examineCluster({ snapshot, ...at }).addons.find(({ id }) => id === "metrics-server");
}

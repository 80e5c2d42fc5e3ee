import { expect, test } from "vitest";
import { findTrouble } from "./explain-unhealthy.ts";
import { describeSick } from "./sick-workload.ts";

const unscheduled = {
  metadata: { name: "a" },
  status: { conditions: [{ type: "PodScheduled", status: "False", message: "0/3 nodes are available" }] },
};
const waiting = (reason: string, message?: string) => ({
  metadata: { name: "b" },
  status: { containerStatuses: [{ name: "c", state: { waiting: { reason, message } } }] },
});
const deployment = (replicas: number, readyReplicas: number, ofBefore = 0) => ({
  metadata: { generation: 1 },
  spec: { replicas },
  status: { replicas: replicas + ofBefore, updatedReplicas: replicas, readyReplicas, observedGeneration: 1 },
});
const daemonSet = (numberReady: number) => ({
  status: { desiredNumberScheduled: 3, numberReady, updatedNumberScheduled: 3 },
});

test.each<[string, unknown, readonly unknown[], string | undefined]>([
  ["is ready", deployment(2, 2), [], undefined],
  ["runs on all nodes", daemonSet(3), [], undefined],
  ["runs on some nodes", daemonSet(1), [], "1 of 3 pods are ready"],
  [
    "has pods without a node",
    deployment(1, 0),
    [unscheduled],
    "0 of 1 pods are ready: pod a isn't scheduled: 0/3 nodes are available",
  ],
  [
    "can't get its image",
    deployment(1, 0),
    [waiting("ImagePullBackOff", "no such image")],
    "0 of 1 pods are ready: pod b, container c: ImagePullBackOff (no such image)",
  ],
  ["is being made", deployment(1, 0), [waiting("ContainerCreating")], "0 of 1 pods are ready"],
  ["has only pods of before", deployment(1, 1, 1), [], "0 of 1 pods are ready"],
])("a workload that %s", (_name, workload, pods, why) => {
  expect(describeSick(workload, pods)).toBe(why);
});

test.each<[string, object, string | undefined]>([
  ["healthy", { health: { status: "Healthy" } }, undefined],
  [
    "that can't be rendered",
    { conditions: [{ type: "ComparisonError", message: "no chart" }] },
    "Argo CD says ComparisonError: no chart",
  ],
  ["whose sync failed", { operationState: { phase: "Failed", message: "no right" } }, "its sync failed: no right"],
  ["that is progressing", { health: { status: "Progressing" } }, "Argo CD says that it is Progressing"],
  ["that nobody looks at", {}, "Argo CD hasn't looked at it yet"],
])("an application %s", (_name, status, why) => {
  expect(findTrouble({ status })).toBe(why);
});

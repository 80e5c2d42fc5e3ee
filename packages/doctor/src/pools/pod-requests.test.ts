import { expect, test } from "vitest";
import type { ClusterObject } from "../snapshot/index.ts";
import { readPodRequests } from "./pod-requests.ts";

const container = (cpu: string, rest: object = {}): object => ({ resources: { requests: { cpu } }, ...rest });
const sidecar = container("200m", { restartPolicy: "Always" });

test.each<[string, object, number]>([
  ["containers run side by side", { containers: [container("1"), container("500m")] }, 1.5],
  ["init containers one after the other", { containers: [container("1")], initContainers: [container("3")] }, 3],
  ["sidecars beside all that follow", { containers: [container("1")], initContainers: [sidecar, container("3")] }, 3.2],
  ["overhead on top", { containers: [container("1")], overhead: { cpu: "250m" } }, 1.25],
  ["limits where requests are missing", { containers: [{ resources: { limits: { cpu: "2" } } }] }, 2],
])("a pod takes what the scheduler counts: %s", (_, spec, cpu) => {
  const pod: ClusterObject = { metadata: { name: "p" }, spec };
  expect(readPodRequests(pod)["cpu"]).toBeCloseTo(cpu, 9);
});

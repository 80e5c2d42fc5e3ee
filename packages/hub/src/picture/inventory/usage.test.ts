import { expect, it } from "vitest";
import { readUsage } from "./usage.ts";

it("a pod's requests are counted as the scheduler counts them", () => {
  const container = (cpu: string, rest: object = {}): object => ({
    resources: { requests: { cpu, memory: "1Mi" } },
    ...rest,
  });
  const pod = (spec: object): { cpu?: number } =>
    readUsage("pods", { metadata: { uid: "u", name: "n" }, spec }) as { cpu?: number };
  expect(pod({ containers: [container("1"), container("500m")] })).toMatchObject({ cpu: 1500, memory: 2 ** 21 });
  expect(pod({ containers: [container("1")], initContainers: [container("2"), container("3")] }).cpu).toBe(3000);
  const sidecar = container("200m", { restartPolicy: "Always" });
  expect(pod({ containers: [container("1")], initContainers: [sidecar, container("100m")] }).cpu).toBe(1200);
  expect(pod({ containers: [container("1")], initContainers: [sidecar, container("3")] }).cpu).toBe(3200);
  expect(pod({ containers: [container("1")], overhead: { cpu: "250m" } }).cpu).toBe(1250);
  expect(pod({ containers: "none" })).toEqual({ phase: "Unknown", cpu: 0, memory: 0 });
});

it("only pods and nodes use anything", () => {
  expect(readUsage("secrets", { metadata: { uid: "u", name: "n" } })).toBeUndefined();
});

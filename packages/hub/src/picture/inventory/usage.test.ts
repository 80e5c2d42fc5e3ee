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

it.each(["1e300", "1e307", "9E", "-1e300", "-5", "NaN", "1e999"])(
  "a quantity of %s is one that can be summed up",
  (text) => {
    const resources = { cpu: text, memory: text, pods: text };
    const metadata = { uid: "u", name: "n" };
    const spec = { containers: [{ resources: { requests: resources } }, { resources: { requests: resources } }] };
    const node = readUsage("nodes", { metadata, status: { capacity: resources } }) as { capacity: object };
    const pod = readUsage("pods", { metadata, spec }) as unknown as Record<string, unknown>;
    for (const amount of [...Object.values(node.capacity), pod["cpu"], pod["memory"]]) {
      expect(Number.isSafeInteger(amount) && Number(amount) >= 0, String(amount)).toBe(true);
    }
  },
);

it("a phase that Kubernetes doesn't have is none", () => {
  const metadata = { uid: "u", name: "n" };
  expect(readUsage("pods", { metadata, status: { phase: "Running" } })).toMatchObject({ phase: "Running" });
  for (const phase of ["Evil-1", "", 7, "__proto__", "running"])
    expect(readUsage("pods", { metadata, status: { phase } })).toMatchObject({ phase: "Unknown" });
});

it("only pods and nodes use anything", () => {
  expect(readUsage("secrets", { metadata: { uid: "u", name: "n" } })).toBeUndefined();
});

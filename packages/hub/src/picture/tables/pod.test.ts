// All states of pods are compared with the API server's own table in test/hardening/16-kubectl-tables.real.test.ts.
import { Fields } from "@fairlead/kube";
import { expect, test } from "vitest";
import { podPrinter } from "./pod.ts";

const completed = { state: { terminated: { exitCode: 0, reason: "Completed" } } };
const failed = { state: { terminated: { exitCode: 1, reason: "Error" } } };
const running = { ready: true, state: { running: {} } };
const isReady = (status: string): object => ({ conditions: [{ type: "Ready", status }] });

test.each([
  ["Error", "one container has failed and the others are done", [completed, failed], {}],
  [
    "Error",
    "one container has failed, one runs, and the pod isn't ready",
    [completed, failed, running],
    isReady("False"),
  ],
  ["Running", "the pod is ready although one container has failed", [completed, failed, running], isReady("True")],
  ["NotReady", "one container is done and the pod isn't ready", [completed, running], isReady("False")],
  ["Completed", "all containers are done", [completed, completed], {}],
])("a pod is shown as %s when %s", (expected, _reason, containerStatuses, status) => {
  const pod = { spec: { containers: [] }, status: { phase: "Running", containerStatuses, ...status } };
  expect(cellOf("Status", pod)).toBe(expected);
});

test("a sidecar behind an init container that isn't done doesn't count as ready, nor do its restarts", () => {
  const sidecar = { started: true, ready: true, restartCount: 4, state: { running: {} } };
  const pod = {
    spec: {
      containers: [{ name: "main" }],
      initContainers: [
        { name: "first", restartPolicy: "Always" },
        { name: "second", restartPolicy: "Always" },
      ],
    },
    status: {
      phase: "Pending",
      initContainerStatuses: [
        { name: "first", restartCount: 2, state: { waiting: { reason: "CrashLoopBackOff" } } },
        { name: "second", ...sidecar },
      ],
    },
  };
  expect(cellOf("Ready", pod)).toBe("0/3");
  expect(cellOf("Status", pod)).toBe("Init:CrashLoopBackOff");
  expect(cellOf("Restarts", pod)).toBe("2");
});

function cellOf(column: string, pod: object): unknown {
  const index = podPrinter.columns.findIndex(({ name }) => name === column);
  return podPrinter.cells(new Fields(pod), 0)[index];
}

import { type Application, type OperationAction, type StatusPart, withMirrorMark } from "@fairlead/protocol";
import { expect, test } from "vitest";
import { applyStatusPart } from "./status-part.ts";

const startedAt = "2026-01-02T03:04:05Z";
const asked = { sync: { revision: "asked" } };
const ofCluster = { sync: { revision: "automatic" } };
const before: Application = {
  apiVersion: "argoproj.io/v1alpha1",
  kind: "Application",
  spec: { project: "default" },
  metadata: {
    name: "web",
    namespace: "east",
    uid: "u1",
    resourceVersion: "7",
    finalizers: ["f"],
    annotations: { mine: "yes", "argocd.argoproj.io/refresh": "normal" },
  },
  operation: asked,
  status: { operationState: { phase: "Terminating", startedAt } },
};

function apply(part: Partial<StatusPart>, ...pending: readonly OperationAction[]): Application {
  return applyStatusPart(before, { status: {}, refresh: {}, ...part }, new Set(pending));
}

test("the status is the cluster's, and what people wrote stays", () => {
  const { spec, metadata, status } = apply({ status: { sync: { status: "Synced" } } });
  expect(status).toEqual({ sync: { status: "Synced" } });
  expect([spec, metadata.finalizers, metadata.annotations]).toEqual([{ project: "default" }, ["f"], { mine: "yes" }]);
});

test("an operation of the cluster's is shown, marked as that, and goes when it goes there", () => {
  expect(apply({ operation: ofCluster }).operation).toEqual(withMirrorMark(ofCluster));
  expect("operation" in apply({})).toBe(false);
});

test("what is asked for stays until it is answered", () => {
  expect(apply({ operation: ofCluster }, "sync").operation).toEqual(asked);
  expect(apply({}, "refresh").metadata.annotations).toEqual(before.metadata.annotations);
  const running = { status: { operationState: { phase: "Running", startedAt } } };
  expect(apply(running, "terminate").status?.operationState?.phase).toBe("Terminating");
  expect(apply(running).status?.operationState?.phase).toBe("Running");
});

test("a run that has ended, or another one, isn't shown as one that is to end", () => {
  const ended = { status: { operationState: { phase: "Succeeded", startedAt } } };
  expect(apply(ended, "terminate").status?.operationState?.phase).toBe("Succeeded");
  const next = { status: { operationState: { phase: "Running", startedAt: "2026-02-02T00:00:00Z" } } };
  expect(apply(next, "terminate").status?.operationState?.phase).toBe("Running");
});

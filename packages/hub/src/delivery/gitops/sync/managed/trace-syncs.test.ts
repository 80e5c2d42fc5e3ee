import type { SpanOptions, SpanResult, Tracer } from "@fairlead/kernel/tracing";
import { type Application, withOperationId } from "@fairlead/protocol";
import { expect, test } from "vitest";
import { createSyncTraces } from "./trace-syncs.ts";

test("a sync that was asked for on the hub is told once, when it has ended, with its times and its parent", () => {
  const { spans, traces } = open();
  traces.listed(synced("1", { phase: "Succeeded" }));
  traces.changed(synced("1", { phase: "Succeeded" }));
  traces.changed(synced("2", { phase: "Running", finishedAt: undefined }));
  expect(spans).toEqual([]);
  traces.changed(synced("2", { phase: "Failed" }));
  traces.changed(synced("2", { phase: "Failed" }));
  expect(spans).toEqual([
    {
      name: "sync",
      parent: "parent of 2",
      startedMs: Date.parse("2026-01-01T00:00:00Z"),
      endedMs: Date.parse("2026-01-01T00:00:05Z"),
      errorCode: "Failed",
      attributes: {
        "k8s.cluster.name": "east",
        "argocd.application": "argocd/web",
        "argocd.operation.phase": "Failed",
        "fairlead.operation.id": "2",
      },
    },
  ]);
  traces.changed(synced("3", { phase: "Succeeded" }));
  expect(spans[1]).toMatchObject({ parent: "parent of 3", errorCode: undefined });
});

test.each([
  ["that Argo CD began by itself", { operation: { sync: {} } }],
  ["whose times can't be read", { finishedAt: "yesterday" }],
  ["in a phase that nobody knows", { phase: "Paused" }],
])("a sync %s leaves no span", (_, state) => {
  const { spans, traces } = open();
  traces.changed(synced("1", { phase: "Succeeded", ...state }));
  expect(spans).toEqual([]);
});

function open() {
  const spans: (SpanOptions & SpanResult)[] = [];
  const tracer: Tracer = {
    startSpan: (options) => ({ traceParent: "", end: (result) => void spans.push({ ...options, ...result }) }),
    within: (_, work) => work(),
    parentOf: (key) => `parent of ${key}`,
  };
  return { spans, traces: createSyncTraces(tracer, "east") };
}

function synced(id: string, state: object): Application {
  return {
    apiVersion: "argoproj.io/v1alpha1",
    kind: "Application",
    metadata: { namespace: "argocd", name: "web", uid: "uid-web" },
    spec: {},
    status: {
      operationState: {
        startedAt: "2026-01-01T00:00:00Z",
        finishedAt: "2026-01-01T00:00:05Z",
        operation: withOperationId({ sync: {} }, id),
        ...state,
      },
    },
  };
}

import { type Application, withOperationId } from "@fairlead/protocol";
import { describe, expect, it } from "vitest";
import { readRequestedSync, toHandedOver, toIdle, toMirrored, toRequested } from "./requested-operation.ts";
import { listRequests } from "./requests.ts";

const operation = { sync: { revision: "abc" }, initiatedBy: { username: "admin" } };

function applicationOf(fields: Partial<Application>, annotations: Readonly<Record<string, string>> = {}): Application {
  const metadata = { name: "web", namespace: "east", uid: "u1", annotations };
  return { apiVersion: "argoproj.io/v1alpha1", kind: "Application", metadata, spec: {}, ...fields };
}

describe("an operation of the hub's object", () => {
  const requested = toRequested("id-1", operation);
  const running = { operationState: { phase: "Running", startedAt: "2026-01-02T03:04:05Z", operation } };

  it("is a request when the hub knows nothing of it", () => {
    expect(readRequestedSync(applicationOf({ operation }), {})).toEqual({ operation, id: undefined });
  });

  it("keeps the id that it was given, until it is another one", () => {
    expect(readRequestedSync(applicationOf({ operation }), requested)?.id).toBe("id-1");
    const other = { sync: { revision: "def" } };
    const unnamed = { operation: other, id: undefined };
    expect(readRequestedSync(applicationOf({ operation: other }), requested)).toEqual(unnamed);
  });

  it("is none when it was handed over, or is the cluster's", () => {
    const handedOver = toHandedOver(requested, "id-1");
    expect(readRequestedSync(applicationOf({ operation }), handedOver)).toBeUndefined();
    expect(readRequestedSync(applicationOf({ operation }), toMirrored({}, operation))).toBeUndefined();
    expect(readRequestedSync(applicationOf({ operation: withOperationId(operation, "id-1") }), {})).toBeUndefined();
    expect(readRequestedSync(applicationOf({ operation, status: running }), {})).toBeUndefined();
  });

  it("is a request again once the former one of the same content is gone", () => {
    const idle = toIdle(toHandedOver(requested, "id-1"));
    expect(idle).toEqual({ lastId: "id-1" });
    expect(readRequestedSync(applicationOf({ operation }), idle)).toEqual({ operation, id: undefined });
  });

  it("is told by its content and not by its metadata: an application that was written anew makes no request", () => {
    const stripped = { ...applicationOf({ operation }), metadata: { name: "web", namespace: "east", uid: "u1" } };
    expect(readRequestedSync(stripped, toMirrored({}, operation))).toBeUndefined();
  });

  it("that another request follows leaves no trace of a failure", () => {
    const failure = { at: "2026-01-01T00:00:00Z", message: "no", operation: {} };
    expect(toHandedOver({ ...requested, failure }, "id-0")).toEqual({ ...requested, failure });
    expect(toRequested("id-2", operation)).not.toHaveProperty("failure");
  });
});

describe("what is asked of an application", () => {
  const running = { phase: "Running", startedAt: "2026-01-02T03:04:05Z" };

  it.each([
    ["nothing", applicationOf({ status: { operationState: running } }), []],
    ["a sync", applicationOf({ operation }), [{ action: "sync", id: undefined, content: operation }]],
    [
      "the end of a run, by an id that is the same for ever",
      applicationOf({ operation, status: { operationState: { ...running, phase: "Terminating" } } }),
      [{ action: "terminate", id: "01767323045000-terminate", content: { startedAt: running.startedAt } }],
    ],
    [
      "a refresh",
      applicationOf({}, { "argocd.argoproj.io/refresh": "hard", "argocd.argoproj.io/hydrate": "hard" }),
      [{ action: "refresh", id: undefined, content: { refresh: "hard", hydrate: "hard" } }],
    ],
    ["nothing, by what a refresh left behind", applicationOf({}, { "argocd.argoproj.io/hydrate": "normal" }), []],
  ])("is %s", (_what, application, requests) => {
    expect(listRequests(application, {})).toEqual(requests);
  });
});

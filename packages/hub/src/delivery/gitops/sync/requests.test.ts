import type { Application } from "@fairlead/protocol";
import { describe, expect, it } from "vitest";
import { readRequestedSync, withMirrored, withRequestId } from "./requested-operation.ts";
import { listRequests } from "./requests.ts";

const operation = { sync: { revision: "abc" }, initiatedBy: { username: "admin" } };

function applicationOf(fields: Partial<Application>, annotations: Readonly<Record<string, string>> = {}): Application {
  const metadata = { name: "web", namespace: "east", uid: "u1", annotations };
  return { apiVersion: "argoproj.io/v1alpha1", kind: "Application", metadata, spec: {}, ...fields };
}

describe("an operation of the hub's object", () => {
  it("is a request when nobody marked it", () => {
    expect(readRequestedSync(applicationOf({ operation }))).toEqual({ operation, id: undefined });
  });

  it("keeps the id that it was given, until it is another one", () => {
    const annotations = withRequestId({}, "id-1", operation);
    expect(readRequestedSync(applicationOf({ operation }, annotations))?.id).toBe("id-1");
    const other = { sync: { revision: "def" } };
    expect(readRequestedSync(applicationOf({ operation: other }, annotations))).toEqual({
      operation: other,
      id: undefined,
    });
  });

  it("is none when it is the cluster's, or was handed over", () => {
    const annotations = withMirrored(withRequestId({ kept: "yes" }, "id-1", operation), operation);
    expect(readRequestedSync(applicationOf({ operation }, annotations))).toBeUndefined();
    expect(withMirrored(annotations, undefined)).toEqual({ kept: "yes" });
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
    expect(listRequests(application)).toEqual(requests);
  });
});

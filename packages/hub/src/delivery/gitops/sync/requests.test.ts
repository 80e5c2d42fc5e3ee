import { type Application, nextOperationId, withMirrorMark, withOperationId } from "@fairlead/protocol";
import { describe, expect, it } from "vitest";
import {
  isOutdated,
  type OperationRecord,
  type RequestedSync,
  readRequestedSync,
  toHandedOver,
  toIdle,
  toRequested,
} from "./requested-operation.ts";
import { listRequests } from "./requests.ts";

const operation = { sync: { revision: "abc" }, initiatedBy: { username: "admin" } };
const nowMs = Date.parse("2026-01-02T00:00:00Z");

function applicationOf(fields: Partial<Application>, annotations: Readonly<Record<string, string>> = {}): Application {
  const metadata = { name: "web", namespace: "east", uid: "u1", annotations };
  return { apiVersion: "argoproj.io/v1alpha1", kind: "Application", metadata, spec: {}, ...fields };
}

describe("an operation of the hub's object", () => {
  const id = nextOperationId({ nowMs, last: undefined, random: () => 0.5 });
  const requested = toRequested(id);
  const running = { operationState: { phase: "Running", startedAt: "2026-01-02T03:04:05Z", operation } };
  const named = withOperationId(operation, id);

  it("is a new request when it has no id, whatever the hub knows of an equal one", () => {
    for (const record of [{}, requested, toHandedOver(requested, id), toIdle(requested)])
      expect(read({ operation }, record)).toEqual({ operation, id: undefined });
  });

  it("keeps its id, also when the hub's record of it was lost or is an older one", () => {
    const before = toRequested(nextOperationId({ nowMs: nowMs - 1, last: undefined, random: () => 0.5 }));
    for (const record of [requested, {}, before]) expect(read({ operation: named }, record)?.id).toBe(id);
  });

  it("is none when it was handed over, or the cluster has it", () => {
    expect(read({ operation: named }, toHandedOver(requested, id))).toBeUndefined();
    expect(read({ operation: named }, toIdle(toHandedOver(requested, id)))).toBeUndefined();
    for (const one of [operation, named]) expect(read({ operation: withMirrorMark(one) }, requested)).toBeUndefined();
    expect(read({ operation, status: running }, {})).toBeUndefined();
  });

  it("is none, and outdated, when it is older than the last one, or back after it was gone", () => {
    const later = toRequested(nextOperationId({ nowMs, last: id, random: () => 0.5 }));
    for (const record of [later, toIdle(later), toIdle(requested)]) {
      expect(read({ operation: named }, record)).toBeUndefined();
      expect(isOutdated(applicationOf({ operation: named }), record)).toBe(true);
    }
    for (const record of [{}, requested, toHandedOver(requested, id)])
      expect(isOutdated(applicationOf({ operation: named }), record)).toBe(false);
    expect(isOutdated(applicationOf({ operation: withMirrorMark(named) }), later)).toBe(false);
  });

  it.each(["~", "99999999999999-00000000", `${id}0`])(
    "gets an id of the hub's when somebody gave it the id %s",
    (own) => {
      expect(read({ operation: withOperationId(operation, own) }, requested)).toMatchObject({ id: undefined });
    },
  );

  it("that another request follows leaves no trace of a failure", () => {
    const failure = { at: "2026-01-01T00:00:00Z", message: "no", operation: {} };
    expect(toHandedOver({ ...requested, failure }, "id-0")).toEqual({ ...requested, failure });
    expect(toRequested("id-2")).not.toHaveProperty("failure");
  });

  function read(fields: Partial<Application>, record: OperationRecord): RequestedSync | undefined {
    return readRequestedSync(applicationOf(fields), record, nowMs);
  }
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
    expect(listRequests(application, {}, nowMs)).toEqual(requests);
  });
});

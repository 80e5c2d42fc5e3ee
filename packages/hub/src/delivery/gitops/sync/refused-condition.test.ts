import type { Application, ReplicaRefusal } from "@fairlead/protocol";
import { expect, test } from "vitest";
import { readShownRefusal, toShownRefusal, withoutCopy, withShownRefusal } from "./refused-condition.ts";

const now = new Date("2026-01-02T03:04:05.678Z");
const later = new Date("2026-01-02T04:00:00Z");
const refusal: ReplicaRefusal = { reason: "taken", message: "argocd/web is another's.", retryAfterMs: 0 };
const message = "The cluster doesn't take this application (taken): argocd/web is another's.";
const shown = { type: "FairleadError", message, lastTransitionTime: "2026-01-02T03:04:05Z" };
const others = { type: "OrphanedResourceWarning", message: "one" };

test.each<[string, ReplicaRefusal | undefined, string | undefined]>([
  ["a refusal that a person has to settle is shown", refusal, message],
  ["one that passes by itself isn't", { ...refusal, reason: "unavailable" }, undefined],
  ["nor is a deletion that waits for a confirmation", { ...refusal, reason: "unconfirmed" }, undefined],
  ["without a refusal there is nothing to show", undefined, undefined],
])("%s", (_, given, expected) => {
  expect(toShownRefusal(given)).toBe(expected);
});

test("a long message is cut", () => {
  expect(toShownRefusal({ ...refusal, message: "x".repeat(100_000) })?.length).toBe(2_000);
});

test("the condition stands beside those of the cluster, keeps its time while it says the same, and goes", () => {
  const told = { sync: { status: "Synced" }, conditions: [others] };
  const first = withShownRefusal(told, message, { before: application(), now });
  expect(first).toEqual({ sync: { status: "Synced" }, conditions: [others, shown] });
  const before = application(first);
  expect(readShownRefusal(before)).toBe(message);
  expect(withShownRefusal(told, message, { before, now: later })).toEqual(first);
  const changed = withShownRefusal(told, "other", { before, now: later });
  expect(changed["conditions"]).toContainEqual({
    ...shown,
    message: "other",
    lastTransitionTime: "2026-01-02T04:00:00Z",
  });
  expect(withShownRefusal(told, undefined, { before, now: later })).toEqual(told);
});

test("an application without a copy is degraded for as long as the cluster doesn't take it", () => {
  const refused = withoutCopy(application({ sync: { status: "Unknown" } }), message, now);
  expect(refused).toEqual({ sync: { status: "Unknown" }, health: { status: "Degraded" }, conditions: [shown] });
  expect(withoutCopy(application(refused), undefined, later)).toEqual({ sync: { status: "Unknown" } });
});

function application(status?: Application["status"]): Application {
  const metadata = { name: "web", namespace: "east" };
  return { apiVersion: "argoproj.io/v1alpha1", kind: "Application", metadata, spec: {}, ...(status && { status }) };
}

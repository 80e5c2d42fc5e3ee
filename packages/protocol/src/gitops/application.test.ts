import { expect, test } from "vitest";
import { readRequests, toSpecPart, toStatusPart } from "./application.ts";
import { hashOf, toContent } from "./content.ts";
import { mergeAnnotations } from "./metadata.ts";
import type { Application } from "./objects.ts";
import { hashOfOperation, isMirrored, readOperationId, withMirrorMark, withOperationId } from "./operation-id.ts";

const application: Application = {
  apiVersion: "argoproj.io/v1alpha1",
  kind: "Application",
  metadata: {
    name: "guestbook",
    namespace: "argocd",
    uid: "u1",
    resourceVersion: "7",
    labels: { team: "a" },
    annotations: {
      "example.com/kept": "yes",
      "argocd.argoproj.io/refresh": "hard",
      "argocd.argoproj.io/hydrate": "hard",
      "kubectl.kubernetes.io/last-applied-configuration": "{}",
      "notified.notifications.argoproj.io": "{}",
      "fairlead.dev/source-uid": "u1",
    },
    finalizers: ["resources-finalizer.argocd.argoproj.io"],
    ownerReferences: [{ kind: "ApplicationSet" }],
    managedFields: [{}],
  },
  spec: { project: "default" },
  operation: { sync: { revision: "abc" } },
  status: { operationState: { phase: "Running", startedAt: "2026-01-01T00:00:00Z" } },
};

test("owner references, managed fields, last-applied, refreshes and stamps stay behind; the rest of the spec part goes", () => {
  expect(toSpecPart(application)).toEqual({
    metadata: {
      name: "guestbook",
      namespace: "argocd",
      labels: { team: "a" },
      annotations: { "example.com/kept": "yes" },
      finalizers: ["resources-finalizer.argocd.argoproj.io"],
      isDeleting: false,
    },
    spec: { project: "default" },
  });
});

test("a refresh, an operation or a status changes no version of the spec part, and a deletion does", () => {
  const version = hashOf(toSpecPart(application));
  const { operation: _operation, status: _status, ...bare } = application;
  expect(hashOf(toSpecPart({ ...bare, metadata: { ...bare.metadata, resourceVersion: "8" } }))).toBe(version);
  const deleted = { ...bare, metadata: { ...bare.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" } };
  expect(hashOf(toSpecPart(deleted))).not.toBe(version);
});

test("the status part has an operation without the hub's mark, and with its ID and its other info", () => {
  for (const operation of [{ sync: {} }, withOperationId({ sync: {}, info: [{ name: "Reason", value: "x" }] }, "1")]) {
    const marked = withMirrorMark(operation);
    expect([isMirrored(operation), isMirrored(marked), readOperationId(marked)]).toEqual([
      false,
      true,
      readOperationId(operation),
    ]);
    expect(toStatusPart({ ...application, operation: marked }).operation).toEqual(operation);
    expect(hashOfOperation(marked)).toBe(hashOfOperation(operation));
  }
});

test("the status part has what is left of operation and refreshes, so that they go on the hub when they went", () => {
  expect(toStatusPart(application)).toEqual({
    status: application.status,
    operation: application.operation,
    refresh: { refresh: "hard", hydrate: "hard" },
  });
  const { operation: _operation, ...taken } = application;
  expect(toStatusPart({ ...taken, metadata: { name: "guestbook", namespace: "argocd" } })).toEqual({
    status: application.status,
    refresh: {},
  });
});

test("a sync, a refresh and the end of a run are read from the hub's application", () => {
  expect(readRequests(application)).toEqual({
    sync: application.operation,
    refresh: { refresh: "hard", hydrate: "hard" },
  });
  const startedAt = "2026-01-01T00:00:00Z";
  const terminating = { ...application, status: { operationState: { phase: "Terminating", startedAt } } };
  expect(readRequests(terminating)).toMatchObject({ terminate: { startedAt } });
  expect(readRequests(terminating)).not.toHaveProperty("sync");
});

test("what is written over an object keeps that side's own annotations", () => {
  const there = { "fairlead.dev/source-uid": "u1", "argocd.argoproj.io/refresh": "normal", "example.com/old": "x" };
  expect(mergeAnnotations({ "example.com/new": "y" }, there)).toEqual({
    "example.com/new": "y",
    "fairlead.dev/source-uid": "u1",
    "argocd.argoproj.io/refresh": "normal",
  });
});

test("a version doesn't depend on the order of members", () => {
  const name = { namespace: "argocd", name: "guestbook" };
  const one = toContent(name, { a: { x: 1, y: [2] }, b: 1 });
  expect(one).toEqual(toContent(name, { b: 1, a: { y: [2], x: 1 } }));
  expect(one).toMatchObject({ name: "argocd/guestbook", version: hashOf({ b: 1, a: { x: 1, y: [2] } }) });
});

import { expect, test } from "vitest";
import { toDataPart, toProjectPart } from "./other-kinds.ts";

const metadata = { name: "a", namespace: "argocd", uid: "u1", ownerReferences: [{}] };
const carried = {
  name: "a",
  namespace: "argocd",
  labels: {},
  annotations: {},
  finalizers: [],
  isDeleting: false,
};

test("of a project the spec goes, without its status", () => {
  const project = { apiVersion: "v1", kind: "AppProject", metadata, spec: { description: "x" }, status: {} };
  expect(toProjectPart(project)).toEqual({ metadata: carried, spec: { description: "x" } });
});

test("of a Secret its data and type go, and of a ConfigMap its data", () => {
  const data = { url: "aHR0cHM=" };
  expect(toDataPart({ apiVersion: "v1", kind: "Secret", metadata, data, type: "Opaque" })).toEqual({
    metadata: carried,
    data,
    type: "Opaque",
  });
  expect(toDataPart({ apiVersion: "v1", kind: "ConfigMap", metadata })).toEqual({
    metadata: carried,
    data: {},
    type: "",
  });
});

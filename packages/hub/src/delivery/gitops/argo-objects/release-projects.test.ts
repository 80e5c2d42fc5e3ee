import type { GitopsObject } from "@fairlead/protocol";
import { expect, test } from "vitest";
import { listUnused } from "./release-projects.ts";

const finalizer = "resources-finalizer.argocd.argoproj.io";
const going = { deletionTimestamp: "2026-01-01T00:00:00Z", finalizers: [finalizer] };

test("a project that is being deleted is let go when no application of the hub is in it, and keeps others' finalizers", () => {
  const projects = [
    projectOf("unused", { ...going, finalizers: [finalizer, "x.example/y"] }),
    projectOf("used", going),
    projectOf("default", going),
    projectOf("mirror", { ...going, labels: { "fairlead.dev/ignore-sync": "true" } }),
    projectOf("others", { ...going, finalizers: ["x.example/y"] }),
    projectOf("stays", { finalizers: [finalizer] }),
  ];
  const applications = [applicationOf("used"), applicationOf(undefined)];
  expect(listUnused(projects, applications).map(({ metadata: { name, finalizers } }) => [name, finalizers])).toEqual([
    ["unused", ["x.example/y"]],
  ]);
});

function projectOf(name: string, more: object): GitopsObject {
  const metadata = { name, namespace: "argocd", uid: name, ...more };
  return { apiVersion: "argoproj.io/v1alpha1", kind: "AppProject", metadata, spec: {} };
}

function applicationOf(project: string | undefined): GitopsObject {
  const metadata = { name: "web", namespace: "east", uid: "u1" };
  return { apiVersion: "argoproj.io/v1alpha1", kind: "Application", metadata, spec: { ...(project && { project }) } };
}

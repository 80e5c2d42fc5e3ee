import type { Application } from "@fairlead/protocol";
import { describe, expect, it } from "vitest";
import { toMirroredSpec, toMirroredStatus } from "./application.ts";

describe("a spec on the hub", () => {
  it.each([
    [
      "by its server",
      { server: "https://kubernetes.default.svc", namespace: "shop" },
      { name: "east", namespace: "shop" },
    ],
    ["by its name", { name: "in-cluster", namespace: "shop" }, { name: "east", namespace: "shop" }],
    ["without a namespace", { server: "https://elsewhere" }, { name: "east" }],
    ["missing", undefined, { name: "east" }],
    ["of another shape", "in-cluster", { name: "east" }],
  ])("is for the cluster, with a destination %s", (_how, destination, expected) => {
    const spec = { project: "default", source: { path: "web" }, ...(destination !== undefined && { destination }) };
    expect(toMirroredSpec(spec, "east")).toEqual({
      project: "east.default",
      source: { path: "web" },
      destination: expected,
    });
  });

  it.each([
    ["shop", "east.shop"],
    ["default", "east.default"],
    ["", "east.default"],
    [undefined, "east.default"],
    ["east-shop", "east.east-shop"],
    [7, "east.default"],
  ])("is in the cluster's project: %j", (project, expected) => {
    expect(toMirroredSpec({ ...(project !== undefined && { project }) }, "east")["project"]).toBe(expected);
  });
});

it("has the fields that the hub knows by name, of whatever shape a cluster says they are", () => {
  const source = { repoURL: "https://git.example/a", path: "web" };
  const spec = {
    project: "shop",
    ofALaterArgo: true,
    operation: { sync: {} },
    revisionHistoryLimit: 3,
    source: { ...source, later: "x", helm: { valuesObject: { any: { thing: 1 } }, values: { no: "text" } } },
    syncPolicy: { automated: { prune: true, later: 1 }, syncOptions: ["A=b"], retry: "none" },
    sources: "none",
    info: [{ name: "a", value: "b", c: "d" }, 7],
    ignoreDifferences: null,
  };
  expect(toMirroredSpec(spec, "east")).toEqual({
    project: "east.shop",
    destination: { name: "east" },
    revisionHistoryLimit: 3,
    source: { ...source, helm: { valuesObject: { any: { thing: 1 } } } },
    syncPolicy: { automated: { prune: true }, syncOptions: ["A=b"] },
    info: [{ name: "a", value: "b" }],
  });
});

it("has no values that go deeper than others can follow", () => {
  const deep = JSON.parse(`${"[".repeat(50_000)}${"]".repeat(50_000)}`) as unknown;
  expect(toMirroredSpec({ source: { helm: { valuesObject: { deep } } } }, "east")["source"]).toEqual({ helm: {} });
});

describe("a status on the hub", () => {
  const there: Application = {
    apiVersion: "argoproj.io/v1alpha1",
    kind: "Application",
    spec: {},
    metadata: { name: "web", namespace: "east" },
  };
  const asked = { ...there, operation: { sync: { revision: "main" } } };

  it("has applications that the application made in the cluster's namespace, and nothing that the hub doesn't know", () => {
    const map = { version: "v1", kind: "ConfigMap", namespace: "argocd", name: "web" };
    const child = { group: "argoproj.io", kind: "Application", namespace: "argocd", name: "child" };
    const set = { group: "argoproj.io", kind: "ApplicationSet", namespace: "argocd", name: "set" };
    const status = { sync: { status: "Synced" }, resources: [map, child, set] };
    expect(toMirroredStatus({ status: { ...status, later: { a: 1 } }, refresh: {} }, there)).toEqual({
      status: { sync: { status: "Synced" }, resources: [map, { ...child, namespace: "east" }, set] },
      refresh: {},
    });
  });

  it("has an operation and a refresh only where somebody asked for one on the hub, and then that one", () => {
    const part = { status: {}, operation: { sync: { revision: "evil" } }, refresh: { refresh: "hard", hydrate: "x" } };
    expect(toMirroredStatus(part, there)).toEqual({ status: {}, refresh: {} });
    expect(toMirroredStatus(part, asked)).toEqual({ status: {}, refresh: {}, operation: asked.operation });
    expect(toMirroredStatus({ status: {}, refresh: {} }, asked)).toEqual({ status: {}, refresh: {} });
    const metadata = { ...there.metadata, annotations: { "argocd.argoproj.io/refresh": "normal" } };
    expect(toMirroredStatus(part, { ...there, metadata })).toEqual({ status: {}, refresh: { refresh: "normal" } });
  });

  it.each([{ resources: "none" }, { resources: [null, 1, "x"] }, { health: "well" }])(
    "of another shape is left out: %j",
    (status) => {
      expect(Object.values(toMirroredStatus({ status, refresh: {} }, there).status).flat()).toEqual([]);
    },
  );
});

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
      ...{ project: "east-default", source: { path: "web" }, destination: expected },
    });
  });

  it.each([
    ["shop", "east-shop"],
    ["default", "east-default"],
    ["", "east-default"],
    [undefined, "east-default"],
    ["east-shop", "east-east-shop"],
    [7, "east-default"],
  ])("is in the cluster's project: %j", (project, expected) => {
    expect(toMirroredSpec({ ...(project !== undefined && { project }) }, "east")["project"]).toBe(expected);
  });
});

describe("a status on the hub", () => {
  it("has applications that the application made in the cluster's namespace, and everything else as it is", () => {
    const map = { version: "v1", kind: "ConfigMap", namespace: "argocd", name: "web" };
    const child = { group: "argoproj.io", kind: "Application", namespace: "argocd", name: "child" };
    const set = { group: "argoproj.io", kind: "ApplicationSet", namespace: "argocd", name: "set" };
    const status = { sync: { status: "Synced" }, resources: [map, child, set] };
    expect(toMirroredStatus({ status, refresh: {} }, "east")).toEqual({
      status: { sync: { status: "Synced" }, resources: [map, { ...child, namespace: "east" }, set] },
      refresh: {},
    });
  });

  it.each([{}, { resources: "none" }, { resources: [null, 1, "x"] }])("is left alone without any: %j", (status) => {
    const part = { status, refresh: {} };
    expect(toMirroredStatus(part, "east")).toBe(part);
  });
});

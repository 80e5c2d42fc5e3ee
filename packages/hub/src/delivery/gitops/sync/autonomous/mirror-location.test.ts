import { describe, expect, it } from "vitest";
import { findLocation, type MirrorLocation, type MirrorNamespaces, readProjectName } from "./mirror-location.ts";

describe("an application of an autonomous cluster", () => {
  it("has its own name in the cluster's namespace on the hub, whichever namespace it is in there", () => {
    expect(find("applications", "east", { namespace: "argocd", name: "web" })).toBe("east/web");
    expect(find("applications", "east", { namespace: "team-a", name: "web" })).toBe("east/web");
    expect(find("applications", "a", { namespace: "argocd", name: "b-web.v2" })).toBe("a/b-web.v2");
  });

  it.each(["", "..", "../argocd/x", "a/b", "%2e%2e", "Web", "web ", "-web", "web.", "a".repeat(254), "web\n"])(
    "with the name %j has no place",
    (name) => expect(find("applications", "east", { namespace: "argocd", name })).toBe("invalid"),
  );

  it.each(["", "..", "a/b", "a.b", "A", "a".repeat(64)])("in the namespace %j has no place", (namespace) =>
    expect(find("applications", "east", { namespace, name: "web" })).toBe("invalid"),
  );
});

describe("a project of an autonomous cluster", () => {
  it("has the cluster's name before its own, in the namespace of Argo CD on the hub", () => {
    expect(find("projects", "east", { namespace: "argocd", name: "default" })).toBe("argocd/east.default");
  });

  it("has no place when its name there would be too long", () => {
    expect(find("projects", "east", { namespace: "argocd", name: "p".repeat(248) })).toMatch(/^argocd\/east\.p+$/);
    expect(find("projects", "east", { namespace: "argocd", name: "p".repeat(249) })).toBe("invalid");
  });

  it("never has the name of another cluster's, however both are called", () => {
    expect(find("projects", "a-b", { namespace: "argocd", name: "c" })).toBe("argocd/a-b.c");
    expect(find("projects", "a", { namespace: "argocd", name: "b-c" })).toBe("argocd/a.b-c");
    expect(find("projects", "a", { namespace: "argocd", name: "b.c" })).toBe("argocd/a.b.c");
    expect(readProjectName("a", "a.b.c")).toBe("b.c");
    expect(readProjectName("a-b", "a.b-c")).toBeUndefined();
  });

  it.each(["../x", "b/../../kube-system", "", "B"])("with the name %j has no place", (name) =>
    expect(find("projects", "a", { namespace: "argocd", name })).toBe("invalid"),
  );
});

function find(kind: "applications" | "projects", cluster: string, there: MirrorLocation): string {
  const places: MirrorNamespaces = { cluster, namespace: cluster, projectNamespace: "argocd" };
  const found = findLocation(kind, places, there);
  return found.is === "here" ? `${found.place.namespace}/${found.place.name}` : found.refusal.reason;
}

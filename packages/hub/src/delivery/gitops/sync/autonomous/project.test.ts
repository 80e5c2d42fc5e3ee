import { describe, expect, it } from "vitest";
import { toMirroredProject } from "./project.ts";

const of = { cluster: "east", project: "shop" };

describe("a project on the hub", () => {
  it("is for applications in the cluster's namespace and for nothing but the cluster", () => {
    const spec = {
      ...{ description: "shops", sourceRepos: ["*"], sourceNamespaces: ["team-a", "*"] },
      permitOnlyProjectScopedClusters: true,
      destinations: [
        { server: "https://kubernetes.default.svc", namespace: "shop" },
        { name: "in-cluster", namespace: "shop" },
        { server: "*", namespace: "!kube-system" },
        { server: "*" },
        { server: "!https://other", namespace: "*" },
        { name: "!other", namespace: "*" },
      ],
    };
    expect(toMirroredProject(spec, of)).toEqual({
      ...{ description: "shops", sourceRepos: ["*"], sourceNamespaces: ["east"] },
      destinations: [
        { name: "east", server: "*", namespace: "shop" },
        { name: "east", server: "*", namespace: "!kube-system" },
        { name: "east", server: "*" },
      ],
    });
  });

  it("has no destinations where it had none, or of another shape", () => {
    expect(toMirroredProject({}, of)).toEqual({ sourceNamespaces: ["east"], destinations: [] });
    expect(toMirroredProject({ destinations: "*" }, of)).toMatchObject({ destinations: [] });
  });
});

describe("a role of a project on the hub", () => {
  it.each([
    ["applications, sync, shop/*", "p, proj:east-shop:dev, applications, sync, east-shop/east/*, allow"],
    ["applications, get, shop/web", "p, proj:east-shop:dev, applications, get, east-shop/east/web, allow"],
    ["applications, get, shop/team-a/web", "p, proj:east-shop:dev, applications, get, east-shop/east/web, allow"],
    ["applicationsets, get, shop/*", "p, proj:east-shop:dev, applicationsets, get, east-shop/east/*, allow"],
    ["logs, get, shop/*", "p, proj:east-shop:dev, logs, get, east-shop/east/*, allow"],
    ["exec, create, shop/*", "p, proj:east-shop:dev, exec, create, east-shop/east/*, allow"],
    [
      "applications, action/apps/Deployment/restart, shop/*",
      "p, proj:east-shop:dev, applications, action/apps/Deployment/restart, east-shop/east/*, allow",
    ],
  ])("may do there the same as %j", (right, expected) => {
    expect(policiesOf(`p, proj:shop:dev, ${right}, allow`)).toEqual([expected]);
    expect(policiesOf(`p,proj:shop:dev,${right.replaceAll(" ", "")},deny`)).toEqual([
      expected.replace("allow", "deny"),
    ]);
  });

  it.each([
    "p, proj:shop:dev, clusters, get, shop/*, allow",
    "p, proj:shop:dev, repositories, create, shop/*, allow",
    "p, proj:shop:dev, *, *, shop/*, allow",
    "p, proj:shop:dev, projects, update, shop, allow",
    "p, proj:other:dev, applications, *, shop/*, allow",
    "p, proj:west-shop:dev, applications, *, west-shop/*, allow",
    "p, proj:shop:dev, applications, *, other/*, allow",
    "p, proj:shop:dev, applications, *, */*, allow",
    "p, proj:shop:dev, applications, *, shop/a/b/c, allow",
    "p, proj:shop:dev, applications, *, shop, allow",
    "p, role:admin, applications, *, shop/*, allow",
    "p, proj:shop:dev:x, applications, *, shop/*, allow",
    "p, proj:shop:dev, applications, *, shop/*, allow, more",
    "p, proj:shop:dev, applications, *, shop/*",
    "p, proj:shop:dev\np, applications, *, shop/*, allow",
    "g, proj:shop:dev, role:admin",
    "",
    7,
  ])("gets no right from %j", (line) => expect(policiesOf(line)).toEqual([]));

  it("keeps its groups, and not the tokens that the cluster's Argo CD gave out", () => {
    const roles = [{ name: "dev", groups: ["devs"], jwtTokens: [{ iat: 1, id: "x" }], policies: [] }, "none"];
    expect(toMirroredProject({ roles }, of)).toMatchObject({
      roles: [{ name: "dev", groups: ["devs"], policies: [] }, {}],
    });
  });
});

function policiesOf(line: unknown): unknown {
  const { roles } = toMirroredProject({ roles: [{ name: "dev", policies: [line] }] }, of);
  return (roles as { policies: unknown }[])[0]?.policies;
}

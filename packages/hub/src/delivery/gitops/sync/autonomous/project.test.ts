import { describe, expect, it } from "vitest";
import type { MirrorPolicy } from "../types.ts";
import { toMirroredProject } from "./project.ts";

const policy: MirrorPolicy = { actions: ["get", "sync", "action/*", "logs", "exec"], groups: ["devs"], labels: [] };
const server = "https://hub.test/k8s/clusters/east";
const of = { cluster: "east", project: "shop", server, policy };

describe("a project on the hub", () => {
  it("is for applications in the cluster's namespace and for nothing but the cluster", () => {
    const spec = {
      description: "shops",
      sourceRepos: ["*"],
      sourceNamespaces: ["team-a", "*"],
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
      description: "shops",
      sourceRepos: ["*"],
      sourceNamespaces: ["east"],
      destinations: [
        { name: "east", server, namespace: "shop" },
        { name: "east", server, namespace: "!kube-system" },
        { name: "east", server },
      ],
    });
  });

  it("names no server where the hub's own address is none, or would be a pattern", () => {
    const spec = { destinations: [{ server: "*", namespace: "*" }] };
    for (const other of [undefined, "https://[::1]:8443/k8s/clusters/east"])
      expect(toMirroredProject(spec, { ...of, server: other })["destinations"]).toEqual([
        { name: "east", namespace: "*" },
      ]);
  });

  it("has the fields that the hub knows by name, and no account that anything is deployed as", () => {
    const window = { kind: "deny", schedule: "* * * * *", duration: "1h" };
    const spec = {
      sourceRepos: ["*"],
      syncWindows: [{ ...window, later: "x" }],
      signatureKeys: [{ keyID: "A", more: 1 }],
      destinationServiceAccounts: [{ server: "*", namespace: "*", defaultServiceAccount: "kube-system:admin" }],
      permitOnlyProjectScopedClusters: true,
      ofALaterArgo: { any: "thing" },
      description: { no: "text" },
      clusterResourceWhitelist: [{ group: "*", kind: "*", name: "x", later: true }, "none"],
    };
    expect(toMirroredProject(spec, of)).toEqual({
      sourceRepos: ["*"],
      syncWindows: [window],
      signatureKeys: [{ keyID: "A" }],
      clusterResourceWhitelist: [{ group: "*", kind: "*", name: "x" }],
      sourceNamespaces: ["east"],
      destinations: [],
    });
  });

  it("has sync windows for the cluster under the cluster's name on the hub, and none for others", () => {
    const window = { kind: "deny", schedule: "* * * * *", duration: "1h" };
    const clusters = [["in-cluster"], ["https://kubernetes.*"], ["*"], ["other"], ["east"], ["https://hub.test/*"]];
    const syncWindows = clusters.map((each) => ({ ...window, clusters: each }));
    const named = { ...window, clusters: ["east", server] };
    expect(toMirroredProject({ syncWindows }, of)["syncWindows"]).toEqual([named, named, named]);
    const [first] = syncWindows;
    expect(toMirroredProject({ syncWindows: [first] }, { ...of, server: undefined })["syncWindows"]).toEqual([
      { ...window, clusters: ["east"] },
    ]);
  });

  it("has no destinations where it had none, or of another shape", () => {
    expect(toMirroredProject({}, of)).toEqual({ sourceNamespaces: ["east"], destinations: [] });
    expect(toMirroredProject({ destinations: "*" }, of)).toMatchObject({ destinations: [] });
  });
});

describe("a role of a project on the hub", () => {
  it.each([
    ["applications, sync, shop/*", "p, proj:east.shop:dev, applications, sync, east.shop/east/*, allow"],
    ["applications, get, shop/web", "p, proj:east.shop:dev, applications, get, east.shop/east/web, allow"],
    ["applications, get, shop/team-a/web", "p, proj:east.shop:dev, applications, get, east.shop/east/web, allow"],
    ["logs, get, shop/*", "p, proj:east.shop:dev, logs, get, east.shop/east/*, allow"],
    ["exec, create, shop/*", "p, proj:east.shop:dev, exec, create, east.shop/east/*, allow"],
    [
      "applications, action/apps/Deployment/restart, shop/*",
      "p, proj:east.shop:dev, applications, action/apps/Deployment/restart, east.shop/east/*, allow",
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
    "p, proj:shop:dev, applicationsets, get, shop/*, allow",
    "p, proj:shop:dev, applications, create, shop/*, allow",
    "p, proj:shop:dev, applications, update, shop/*, allow",
    "p, proj:shop:dev, applications, delete, shop/*, allow",
    "p, proj:shop:dev, applications, override, shop/*, allow",
    "p, proj:shop:dev, applications, s*, shop/*, allow",
    "p, proj:shop:dev, applications, **, shop/*, allow",
    "p, proj:shop:dev, app*, get, shop/*, allow",
    "p, proj:shop:dev, applications, get, shop/*, permit",
    "p, proj:shop:d*, applications, get, shop/*, allow",
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

  it("allows of everything what the hub allows, each by its name", () => {
    expect(policiesOf("p, proj:shop:dev, *, *, shop/*, allow")).toEqual(
      ["applications, get", "applications, sync", "applications, action/*", "logs, get", "exec, create"].map(
        (right) => `p, proj:east.shop:dev, ${right}, east.shop/east/*, allow`,
      ),
    );
    const few = { ...of, policy: { ...policy, actions: ["get"] as const } };
    const roles = [{ name: "dev", policies: ["p, proj:shop:dev, *, *, shop/*, allow"] }];
    expect(toMirroredProject({ roles }, few)["roles"]).toEqual([
      { name: "dev", policies: ["p, proj:east.shop:dev, applications, get, east.shop/east/*, allow"] },
    ]);
  });

  it.each([
    ["p, proj:shop:dev, applications, s*, shop/*, deny", []],
    ["p, proj:shop:dev, applications, get, */*, deny", []],
    ["p, proj:shop:dev, applications, delete, shop/*, deny", ["get"]],
  ])("allows nothing where it can't say what %s forbids", (denial, expected) => {
    const policies = ["p, proj:shop:dev, applications, get, shop/*, allow", denial];
    const { roles } = toMirroredProject({ roles: [{ name: "dev", policies }] }, of);
    expect((roles as { policies: string[] }[])[0]?.policies).toEqual(
      expected.map((action) => `p, proj:east.shop:dev, applications, ${action}, east.shop/east/*, allow`),
    );
  });

  it("is for groups that the hub lists, and not for tokens that the cluster's Argo CD gave out", () => {
    const roles = [{ name: "dev", groups: ["admins", "devs"], jwtTokens: [{ iat: 1, id: "x" }], policies: [] }];
    expect(toMirroredProject({ roles }, of)["roles"]).toEqual([{ name: "dev", groups: ["devs"], policies: [] }]);
    const none = { ...of, policy: { ...policy, groups: [] } };
    expect(toMirroredProject({ roles }, none)["roles"]).toEqual([{ name: "dev", policies: [] }]);
  });

  it.each(["dev, projects, update, *, allow\np", "dev\ng, devs, role:admin", "", "a".repeat(200), 7, undefined])(
    "with the name %j isn't there",
    (name) => expect(toMirroredProject({ roles: [{ name, groups: ["devs"] }, "none"] }, of)["roles"]).toEqual([]),
  );

  it("has no more lines, and a project no more roles, than Argo CD on the hub reads at once", () => {
    const line = "p, proj:shop:dev, applications, get, shop/web, allow";
    const lines = (count: number) => Array.from({ length: count }, (_, index) => line.replace("web", `web-${index}`));
    const sizes = [256, 257].map(
      (count) =>
        (
          toMirroredProject({ roles: [{ name: "dev", policies: lines(count) }] }, of)["roles"] as {
            policies: string[];
          }[]
        )[0]?.policies.length,
    );
    expect(sizes).toEqual([256, 0]);
    const roles = Array.from({ length: 1_000 }, (_, index) => ({ name: `dev-${index}` }));
    expect(toMirroredProject({ roles }, of)["roles"]).toHaveLength(64);
  });
});

function policiesOf(line: unknown): unknown {
  const { roles } = toMirroredProject({ roles: [{ name: "dev", policies: [line] }] }, of);
  return (roles as { policies: unknown }[])[0]?.policies;
}

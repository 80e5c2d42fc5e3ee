import { readRequestAttributes } from "@fairlead/kube";
import { describe, expect, it } from "vitest";
import { grantsOf, robot, user } from "./policy.fixture.ts";
import { decide, mayOnHub, selectGrants } from "./policy.ts";
import type { Decision, ImpersonationRequest, Principal } from "./types.ts";

const labels: Record<string, Record<string, string>> = {
  east: { env: "prod", tier: "1" },
  west: { env: "test" },
};
const alice = user("alice@example.com", ["dev", "ops"]);
const [yes, no] = [true, false];

/** The asker, the binding, and the request to a cluster. Paths are read as requests are. */
const rows: [asker: Principal, binding: string, request: string, isAllowed: boolean][] = [
  // Built-in roles on ordinary resources.
  [alice, "user:alice@example.com=viewer@east", "east GET /api/v1/pods", yes],
  [alice, "user:alice@example.com=viewer@east", "east GET /api/v1/pods?watch=1", yes],
  [alice, "user:alice@example.com=viewer@east", "east GET /api/v1/namespaces/a/pods/b", yes],
  [alice, "user:alice@example.com=viewer@east", "east HEAD /api/v1/namespaces/a/pods/b", yes],
  [alice, "user:alice@example.com=viewer@east", "east GET /api/v1/namespaces/a/pods/b/log", yes],
  [alice, "user:alice@example.com=viewer@east", "east GET /apis/apps/v1/deployments", yes],
  [alice, "user:alice@example.com=viewer@east", "east GET /api/v1/nodes", yes],
  [alice, "user:alice@example.com=viewer@east", "east POST /api/v1/namespaces/a/pods", no],
  [alice, "user:alice@example.com=viewer@east", "east PUT /api/v1/namespaces/a/pods/b", no],
  [alice, "user:alice@example.com=viewer@east", "east PATCH /api/v1/namespaces/a/pods/b", no],
  [alice, "user:alice@example.com=viewer@east", "east DELETE /api/v1/namespaces/a/pods/b", no],
  [alice, "user:alice@example.com=viewer@east", "east DELETE /api/v1/namespaces/a/pods", no],
  [alice, "user:alice@example.com=operator@east", "east DELETE /api/v1/namespaces/a/pods", yes],
  [alice, "user:alice@example.com=operator@east", "east PATCH /apis/example.com/v1/things/x", yes],
  [alice, "user:alice@example.com=operator@east", "east GET /api/v1/secrets", yes],
  [alice, "user:alice@example.com=admin@east", "east POST /apis/rbac.authorization.k8s.io/v1/clusterroles", yes],
  // Secrets, and ways around.
  [alice, "user:alice@example.com=viewer@east", "east GET /api/v1/secrets", no],
  [alice, "user:alice@example.com=viewer@east", "east GET /api/v1/secrets?watch=true", no],
  [alice, "user:alice@example.com=viewer@east", "east GET /api/v1/watch/secrets", no],
  [alice, "user:alice@example.com=viewer@east", "east GET /api/v1/namespaces/a/secrets/b", no],
  [alice, "user:alice@example.com=viewer@east", "east GET /api/v1/namespaces/a/%73ecrets/b", no],
  [alice, "user:alice@example.com=viewer@east", "east GET /api/v1/namespaces/secrets/pods", yes],
  [alice, "user:alice@example.com=viewer@east", "east GET /api/v1/configmaps", yes],
  // Requests that run something or reach into a pod are no reading, also by GET.
  [alice, "user:alice@example.com=viewer@east", "east GET /api/v1/namespaces/a/pods/b/exec?command=sh", no],
  [alice, "user:alice@example.com=viewer@east", "east GET /api/v1/namespaces/a/pods/b/attach", no],
  [alice, "user:alice@example.com=viewer@east", "east GET /api/v1/namespaces/a/pods/b/portforward", no],
  [alice, "user:alice@example.com=viewer@east", "east GET /api/v1/namespaces/a/pods/b/proxy/x", no],
  [alice, "user:alice@example.com=viewer@east", "east GET /api/v1/namespaces/a/services/b/proxy/x", no],
  [alice, "user:alice@example.com=viewer@east", "east GET /api/v1/nodes/n/proxy/exec", no],
  [alice, "user:alice@example.com=operator@east", "east GET /api/v1/namespaces/a/pods/b/exec?command=sh", yes],
  [alice, "user:alice@example.com=debugger@east", "east GET /api/v1/namespaces/a/pods/b/exec", yes],
  [alice, "user:alice@example.com=debugger@east", "east POST /api/v1/namespaces/a/pods/b/exec", yes],
  [alice, "user:alice@example.com=debugger@east", "east POST /api/v1/namespaces/a/pods/b/attach", no],
  [alice, "user:alice@example.com=debugger@east", "east POST /api/v1/namespaces/a/pods", no],
  // Custom roles: namespaces, groups of the API, subresources, exceptions.
  [alice, "user:alice@example.com=dev-pods@east", "east GET /api/v1/namespaces/dev/pods/b", yes],
  [alice, "user:alice@example.com=dev-pods@east", "east POST /api/v1/namespaces/dev/pods", yes],
  [alice, "user:alice@example.com=dev-pods@east", "east GET /api/v1/namespaces/dev/pods", no],
  [alice, "user:alice@example.com=dev-pods@east", "east GET /api/v1/namespaces/prod/pods/b", no],
  [alice, "user:alice@example.com=dev-pods@east", "east GET /api/v1/namespaces/dev/pods/b/log", no],
  [alice, "user:alice@example.com=dev-pods@east", "east GET /api/v1/namespaces/dev/pods/b/exec", no],
  [alice, "user:alice@example.com=deployer@east", "east DELETE /apis/apps/v1/namespaces/a/deployments/b", yes],
  [alice, "user:alice@example.com=deployer@east", "east GET /apis/other/v1/namespaces/a/deployments/b", no],
  [alice, "user:alice@example.com=deployer@east", "east GET /apis/apps/v1/namespaces/a/statefulsets/b", no],
  [alice, "user:alice@example.com=deployer@east", "east GET /apis/apps/v1/namespaces/a/deployments/b/scale", no],
  [alice, "user:alice@example.com=subresources@east", "east GET /api/v1/namespaces/a/pods/b/log", yes],
  [alice, "user:alice@example.com=subresources@east", "east GET /apis/apps/v1/namespaces/a/deployments/b/scale", yes],
  [alice, "user:alice@example.com=subresources@east", "east GET /api/v1/namespaces/a/pods/b", no],
  [alice, "user:alice@example.com=not-config@east", "east GET /api/v1/namespaces/a/pods/b", yes],
  [alice, "user:alice@example.com=not-config@east", "east GET /api/v1/namespaces/a/configmaps/b", no],
  // Which cluster.
  [alice, "user:alice@example.com=viewer@east", "west GET /api/v1/pods", no],
  [alice, "user:alice@example.com=viewer@east,west", "west GET /api/v1/pods", yes],
  [alice, "user:alice@example.com=viewer@*", "west GET /api/v1/pods", yes],
  [alice, "user:alice@example.com=viewer@env=prod", "east GET /api/v1/pods", yes],
  [alice, "user:alice@example.com=viewer@env=prod", "west GET /api/v1/pods", no],
  [alice, "user:alice@example.com=viewer@env=prod,tier=1", "east GET /api/v1/pods", yes],
  [alice, "user:alice@example.com=viewer@env=prod,tier=2", "east GET /api/v1/pods", no],
  [alice, "user:alice@example.com=viewer@env=prod", "unknown GET /api/v1/pods", no],
  // Askers.
  [alice, "group:dev=viewer@east", "east GET /api/v1/pods", yes],
  [alice, "group:sales=viewer@east", "east GET /api/v1/pods", no],
  [alice, "user:bob=viewer@east", "east GET /api/v1/pods", no],
  [alice, "user:dev=viewer@east", "east GET /api/v1/pods", no],
  [alice, "robot:alice@example.com=viewer@east", "east GET /api/v1/pods", no],
  [user("admin"), "admin-token:admin=admin@*", "east GET /api/v1/pods", no],
  [user("robot:ci"), "robot:ci=admin@*", "east GET /api/v1/pods", no],
  [robot("ci"), "robot:ci=operator@east", "east DELETE /api/v1/namespaces/a/pods/b", yes],
  [robot("ci"), "user:ci=operator@east", "east GET /api/v1/pods", no],
  [robot("ci"), "group:ci=operator@east", "east GET /api/v1/pods", no],
  // Scopes of robots' tokens.
  [robot("ci", { clusters: ["west"] }), "robot:ci=operator@*", "east GET /api/v1/pods", no],
  [robot("ci", { clusters: ["east"] }), "robot:ci=operator@*", "east DELETE /api/v1/namespaces/a/pods/b", yes],
  [robot("ci", { verbs: ["get", "list"] }), "robot:ci=operator@*", "east GET /api/v1/pods", yes],
  [robot("ci", { verbs: ["get", "list"] }), "robot:ci=operator@*", "east GET /api/v1/pods?watch=1", no],
  [robot("ci", { verbs: ["get"] }), "robot:ci=operator@*", "east GET /api/v1/namespaces/a/pods/b/exec", no],
  [robot("ci", { verbs: ["create"] }), "robot:ci=operator@*", "east GET /api", yes],
  [robot("ci", { verbs: ["create"] }), "robot:ci=viewer@*", "east POST /api/v1/namespaces/a/pods", no],
  // Paths that are no resources.
  [alice, "user:alice@example.com=dev-pods@east", "east GET /api", yes],
  [alice, "user:alice@example.com=dev-pods@east", "east GET /apis/apps/v1?timeout=32s", yes],
  [alice, "user:alice@example.com=dev-pods@east", "east GET /openapi/v3/apis/apps/v1", yes],
  [alice, "user:alice@example.com=dev-pods@east", "east GET /version", yes],
  [alice, "user:alice@example.com=dev-pods@east", "east GET /readyz/etcd", yes],
  [alice, "user:alice@example.com=dev-pods@east", "east POST /version", no],
  [alice, "user:alice@example.com=dev-pods@east", "west GET /version", no],
  [alice, "user:alice@example.com=viewer@east", "east GET /metrics", no],
  [alice, "user:alice@example.com=viewer@east", "east GET /logs/kube-apiserver.log", no],
  [alice, "user:alice@example.com=viewer@east", "east GET /debug/pprof/heap", no],
  [alice, "user:alice@example.com=viewer@east", "east GET /versionx", no],
  [alice, "user:alice@example.com=not-config@east", "east GET /metrics", no],
  [alice, "user:alice@example.com=operator@east", "east GET /metrics", yes],
  // About oneself.
  [
    alice,
    "user:alice@example.com=viewer@east",
    "east POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
    yes,
  ],
  [alice, "user:alice@example.com=viewer@east", "east POST /apis/authentication.k8s.io/v1/selfsubjectreviews", yes],
  [alice, "user:alice@example.com=viewer@east", "east POST /apis/authorization.k8s.io/v1/subjectaccessreviews", no],
  [alice, "user:alice@example.com=viewer@east", "east POST /apis/evil.io/v1/selfsubjectaccessreviews", no],
  [alice, "user:alice@example.com=viewer@east", "west POST /apis/authentication.k8s.io/v1/selfsubjectreviews", no],
  // Names that belong to the cluster alone.
  [user("system:admin"), "user:system:admin=operator@*", "east GET /api/v1/pods", no],
  [alice, "user:alice@example.com=sneaky@*", "east GET /api/v1/pods", no],
];

describe("the policy on a cluster's API", () => {
  it.each(rows.map((row) => [row[0].name, JSON.stringify(row[0].scope ?? {}), ...row.slice(1), row] as const))(
    "%s %s with %s asks %s: %s",
    (...row) => {
      const [asker, binding, request, isAllowed] = row.at(-1) as (typeof rows)[number];
      const decision = ask(asker, [binding], request);
      expect(decision.allowed, JSON.stringify(decision)).toBe(isAllowed);
      if (!decision.allowed) expect(decision.reason).not.toBe("");
    },
  );

  it("has rows for every built-in role, both ways", () => {
    expect(rows.length).toBeGreaterThan(90);
    for (const role of ["viewer", "operator"]) {
      for (const way of [yes, no])
        expect(rows.some((row) => row[1].includes(`=${role}@`) && row[3] === way)).toBe(true);
    }
  });

  it("lets roles add up, in any order", () => {
    const bindings = ["user:alice@example.com=viewer@east", "group:dev=debugger@east"];
    for (const order of [bindings, bindings.toReversed()]) {
      expect(ask(alice, order, "east GET /api/v1/pods").allowed).toBe(true);
      expect(ask(alice, order, "east GET /api/v1/namespaces/a/pods/b/exec").allowed).toBe(true);
      expect(ask(alice, order, "east DELETE /api/v1/namespaces/a/pods/b").allowed).toBe(false);
    }
  });
});

describe("who a cluster sees", () => {
  it("is the asker, with the groups of the roles that gave the request and of no other", () => {
    const bindings = ["user:alice@example.com=viewer@east", "group:dev=debugger@east", "group:ops=admin@west"];
    const seen = ask(alice, bindings, "east GET /api/v1/pods");
    expect(seen).toEqual({
      allowed: true,
      identity: { user: "alice@example.com", uid: "uid-of-alice@example.com", groups: ["fairlead:viewers"] },
      record: false,
    });
    const running = ask(alice, bindings, "east GET /api/v1/namespaces/a/pods/b/exec");
    expect(running).toMatchObject({ identity: { groups: ["debuggers"] } });
  });

  it("has all of the asker's groups, however many: an agent that doesn't take them is never sent some of them", () => {
    const many = user(
      "alice@example.com",
      Array.from({ length: 5_000 }, (_, at) => `team-${at}`),
    );
    const decision = ask(many, ["user:alice@example.com=viewer@east"], "east GET /api", { groupPrefix: "oidc:" });
    expect(decision.allowed && decision.identity.groups).toHaveLength(5_001);
  });

  it("has the asker's own groups only behind the prefix, and never one that is a cluster's or Fairlead's", () => {
    const binding = ["user:alice@example.com=viewer@east"];
    expect(ask(alice, binding, "east GET /api", { groupPrefix: "oidc:" })).toMatchObject({
      identity: { groups: ["fairlead:viewers", "oidc:dev", "oidc:ops"] },
    });
    const sly = user("alice@example.com", ["ystem:masters", "airlead:admins", "fairlead:admins"]);
    expect(ask(sly, binding, "east GET /api", { groupPrefix: "s" })).toMatchObject({
      identity: { groups: ["fairlead:viewers", "sairlead:admins", "sfairlead:admins"] },
    });
    expect(ask(alice, binding, "east GET /api", { usernamePrefix: "oidc:" })).toMatchObject({
      identity: { user: `oidc:${alice.name}` },
    });
    for (const [usernamePrefix, name] of [
      ["sys", "tem:masters"],
      ["rob", "ot:ci"],
      ["ad", "min"],
    ] as const) {
      const own = [`user:${name}=viewer@*`];
      expect(ask(user(name), own, "east GET /api", { usernamePrefix }), name).toMatchObject({ allowed: false });
    }
    expect(ask(robot("ci"), ["robot:ci=viewer@*"], "east GET /api", { usernamePrefix: "oidc:" })).toMatchObject({
      identity: { user: "robot:ci" },
    });
    expect(ask(sly, binding, "east GET /api", { groupPrefix: "f" })).toMatchObject({
      identity: { groups: ["fairlead:viewers", "fystem:masters", "ffairlead:admins"] },
    });
    expect(ask(sly, binding, "east GET /api")).toMatchObject({ identity: { groups: ["fairlead:viewers"] } });
  });

  it("is recorded when a binding that gave the request says so", () => {
    const bindings = ["user:alice@example.com=viewer@east", "group:dev=debugger@east!"];
    expect(ask(alice, bindings, "east GET /api/v1/namespaces/a/pods/b/exec")).toMatchObject({ record: true });
    expect(ask(alice, bindings, "east GET /api/v1/pods")).toMatchObject({ record: false });
  });
});

describe("acting as someone else", () => {
  const may = ["user:alice@example.com=support@east"];
  const admin = ["user:alice@example.com=admin@east"];
  const impersonations: [string, string[], Partial<ImpersonationRequest>, boolean][] = [
    ["a user that the role names", may, { user: "bob" }, yes],
    ["a user that the role's pattern fits", may, { user: "dev-7" }, yes],
    ["a group that the role names", may, { user: "bob", groups: ["devs"] }, yes],
    ["another user", may, { user: "carol" }, no],
    ["a user whose name goes on", may, { user: "bobby" }, no],
    ["one good and one foreign group", may, { user: "bob", groups: ["devs", "admins"] }, no],
    ["nobody", may, { user: "", groups: ["devs"] }, no],
    ["a uid", may, { user: "bob", uid: "1" }, no],
    ["extra", may, { user: "bob", extra: { scopes: ["x"] } }, no],
    ["anyone, for an admin", admin, { user: "carol", groups: ["any"] }, yes],
    ["system:masters, for an admin", admin, { user: "carol", groups: ["system:masters"] }, no],
    ["System:Masters, for an admin", admin, { user: "carol", groups: ["System:Masters"] }, no],
    ["system:admin, for an admin", admin, { user: "system:admin" }, no],
    ["a service account, for an admin", admin, { user: "system:serviceaccount:a:b" }, no],
    ["anyone, for an operator", ["user:alice@example.com=operator@east"], { user: "bob" }, no],
    ["anyone, for an admin of another cluster", ["user:alice@example.com=admin@west"], { user: "bob" }, no],
  ];

  it.each(impersonations)("%s", (_, bindings, wanted, isAllowed) => {
    const impersonate = { user: "", groups: [], extra: {}, ...wanted };
    const decision = ask(alice, bindings, "east GET /api/v1/pods", { impersonate });
    expect(decision.allowed, JSON.stringify(decision)).toBe(isAllowed);
    if (decision.allowed) {
      const { user: name, groups } = impersonate;
      expect(decision.identity).toEqual({ user: name, groups, actor: "alice@example.com" });
    }
  });

  it("gives nothing that the asker may not do themselves", () => {
    const impersonate = { user: "bob", groups: [], extra: {} };
    expect(ask(alice, may, "east DELETE /api/v1/namespaces/a/pods/b", { impersonate }).allowed).toBe(false);
  });
});

describe("a decision", () => {
  it("is about whoever asks, whoever else the same grants were looked at for", () => {
    const grants = grantsOf(alice, ["user:alice@example.com=viewer@east"]);
    const attributes = readRequestAttributes({ method: "GET", path: "/api/v1/namespaces/a/pods/b" });
    if (!attributes) throw new Error("the path can't be read");
    const identify = (principal: Principal, groupPrefix?: string) =>
      decide({ principal, grants, cluster: "east", attributes, groupPrefix });
    expect(identify(alice)).toMatchObject({ identity: { user: alice.name, uid: alice.uid } });
    const bob = { ...alice, name: "bob", uid: "uid-of-bob", groups: ["dev"] };
    expect(identify(bob)).toMatchObject({ identity: { user: "bob", groups: ["fairlead:viewers"] } });
    expect(identify(bob, "idp:")).toMatchObject({ identity: { user: "bob", groups: ["fairlead:viewers", "idp:dev"] } });
    expect(identify({ ...alice, name: "system:admin" })).toMatchObject({ allowed: false });
    expect(identify(alice)).toMatchObject({ identity: { user: alice.name } });
  });
});

describe("the policy on the hub itself", () => {
  const hubRows: [Principal, string, string, boolean][] = [
    [alice, "user:alice@example.com=viewer@east", "list clusters east", yes],
    [alice, "user:alice@example.com=viewer@east", "get clusters east", yes],
    [alice, "user:alice@example.com=viewer@east", "get clusters west", no],
    [alice, "user:alice@example.com=viewer@*", "create clusters west", no],
    [alice, "user:alice@example.com=viewer@*", "create clusters/tokens west", no],
    [alice, "user:alice@example.com=viewer@*", "get metrics", no],
    [alice, "user:alice@example.com=viewer@*", "list roles", no],
    [alice, "user:alice@example.com=operator@*", "get metrics", yes],
    [alice, "user:alice@example.com=operator@*", "list audit", no],
    [alice, "user:alice@example.com=operator@*", "list bindings", no],
    [alice, "user:alice@example.com=operator@*", "revoke clusters east", no],
    [alice, "user:alice@example.com=admin@*", "create bindings", yes],
    [alice, "user:alice@example.com=admin@*", "create clusters/tokens west", yes],
    [alice, "user:alice@example.com=admin@east", "create bindings", no],
    [alice, "user:alice@example.com=admin@east", "delete clusters east", yes],
    [alice, "user:alice@example.com=admin@east", "delete clusters west", no],
    [alice, "user:alice@example.com=admin@env=prod", "delete clusters east", yes],
    [alice, "user:alice@example.com=auditor@*", "list audit", yes],
    [alice, "user:alice@example.com=auditor@*", "list recordings", no],
    [alice, "user:alice@example.com=token-maker@*", "create clusters/tokens east", yes],
    [alice, "user:alice@example.com=token-maker@*", "create clusters east", no],
    [robot("ci"), "robot:ci=admin@*", "create bindings", yes],
    [robot("ci", { clusters: ["east"] }), "robot:ci=admin@*", "create bindings", no],
    [robot("ci", { clusters: ["east"] }), "robot:ci=admin@*", "get clusters east", yes],
    [robot("ci", { clusters: ["east"] }), "robot:ci=admin@*", "get clusters west", no],
    [robot("ci", { verbs: ["get"] }), "robot:ci=admin@*", "delete clusters east", no],
  ];

  it.each(hubRows.map((row) => [row[0].name, JSON.stringify(row[0].scope ?? {}), ...row.slice(1), row] as const))(
    "%s %s with %s wants to %s: %s",
    (...row) => {
      const [asker, binding, request, isAllowed] = row.at(-1) as (typeof hubRows)[number];
      const [verb = "", resource = "", cluster] = request.split(" ");
      const grants = grantsOf(asker, [binding]);
      const known = cluster === undefined ? undefined : labels[cluster];
      const wanted = { verb, resource, ...(cluster === undefined ? {} : { cluster }) };
      expect(mayOnHub({ scope: asker.scope, grants, request: wanted, labels: known })).toBe(isAllowed);
    },
  );
});

function ask(
  principal: Principal,
  bindings: readonly string[],
  text: string,
  more: { impersonate?: ImpersonationRequest; groupPrefix?: string; usernamePrefix?: string } = {},
): Decision {
  const [cluster = "", method = "", path = ""] = text.split(" ");
  const attributes = readRequestAttributes({ method, path });
  if (!attributes) throw new Error(`${path} can't be read`);
  const grants = selectGrants(grantsOf(principal, bindings), { name: cluster, labels: labels[cluster] });
  return decide({ principal, grants, cluster, attributes, ...more });
}

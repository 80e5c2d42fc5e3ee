import { readRequestAttributes } from "@fairlead/kube";
import type { CallerIdentity } from "@fairlead/protocol";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { judge } from "./judge.ts";
import { policySchema } from "./schema.ts";

const ns = "/api/v1/namespaces";

describe("without a file", () => {
  it.each([
    ["GET /api/v1/secrets", ["fairlead:viewers"], "allowed"],
    [`POST ${ns}/a/pods/b/exec`, [], "allowed"],
    ["GET /version", ["system:masters"], "system groups"],
    ["GET /version", ["devs", "system:authenticated"], "system groups"],
    ["GET /version", ["System:masters"], "system groups"],
    ["GET /version", ["systems:masters"], "allowed"],
  ])("%s by a member of %j is %s", (request, groups, expected) => {
    expect(verdictOf("{}", request, { groups })).toBe(expected);
  });

  it.each(["system:admin", "system:serviceaccount:kube-system:x", "system:node:n", "SYSTEM:admin"])(
    "nobody acts as %s",
    (user) => {
      expect(verdictOf("{}", "GET /version", { user })).toBe("system users");
    },
  );
});

describe("a policy", () => {
  it.each<[policy: string, request: string, expected: string]>([
    ["readOnly: true", `GET ${ns}/a/pods`, "allowed"],
    ["readOnly: true", `GET ${ns}/a/pods?watch=1`, "allowed"],
    ["readOnly: true", `GET ${ns}/a/pods/b/log?follow=1`, "allowed"],
    ["readOnly: true", "GET /openapi/v3", "allowed"],
    ["readOnly: true", "HEAD /version", "allowed"],
    ["readOnly: true", "POST /version", "readOnly"],
    ["readOnly: true", `POST ${ns}/a/pods`, "readOnly"],
    ["readOnly: true", `PATCH ${ns}/a/pods/b`, "readOnly"],
    ["readOnly: true", `DELETE ${ns}/a/pods`, "readOnly"],
    ["readOnly: true", `OPTIONS ${ns}/a/pods`, "readOnly"],
    // WebSockets begin with a GET.
    ["readOnly: true", `GET ${ns}/a/pods/b/exec?command=sh`, "readOnly"],
    ["readOnly: true", `GET ${ns}/a/pods/b/portforward`, "readOnly"],
    ["readOnly: true", "GET /api/v1/nodes/n/proxy/run/a/b/c?cmd=sh", "readOnly"],
    ["readOnly: true", "POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews", "allowed"],
    ["readOnly: true", "POST /apis/authorization.k8s.io/v1/subjectaccessreviews", "readOnly"],

    ["denySecretReads: true", `GET ${ns}/a/secrets/b`, "denySecretReads"],
    ["denySecretReads: true", "GET /api/v1/secrets?watch=1", "denySecretReads"],
    ["denySecretReads: true", "GET /api/v1/watch/secrets", "denySecretReads"],
    ["denySecretReads: true", `PATCH ${ns}/a/secrets/b`, "denySecretReads"],
    ["denySecretReads: true", `PUT ${ns}/a/secrets/b`, "denySecretReads"],
    ["denySecretReads: true", `DELETE ${ns}/a/secrets`, "denySecretReads"],
    ["denySecretReads: true", `POST ${ns}/a/secrets`, "allowed"],
    ["denySecretReads: true", `GET ${ns}/a/%73ecrets/b`, "denySecretReads"],
    ["denySecretReads: true", `GET ${ns}/a/configmaps/secrets`, "allowed"],

    ["verbs: {deny: [delete, deletecollection]}", `DELETE ${ns}/a/pods/b`, "verbs.deny"],
    ["verbs: {deny: [delete, deletecollection]}", `GET ${ns}/a/pods/b`, "allowed"],
    ["verbs: {allow: [get, list]}", `GET ${ns}/a/pods?watch=1`, "verbs.allow"],
    ["verbs: {allow: [get, list]}", "GET /version", "allowed"],
    ["verbs: {allow: ['*'], deny: [patch]}", `PATCH ${ns}/a/pods/b`, "verbs.deny"],

    ["resources: {deny: [core/secrets]}", `GET ${ns}/a/secrets/b`, "resources.deny"],
    ["resources: {deny: [core/pods]}", `POST ${ns}/a/pods/b/exec`, "resources.deny"],
    ["resources: {deny: [core/pods/exec]}", `POST ${ns}/a/pods/b/exec`, "resources.deny"],
    ["resources: {deny: [core/pods/exec]}", `GET ${ns}/a/pods/b`, "allowed"],
    ["resources: {deny: ['*/secrets']}", "GET /apis/x.example.com/v1/secrets", "resources.deny"],
    [
      "resources: {deny: ['rbac.authorization.k8s.io/*']}",
      "POST /apis/rbac.authorization.k8s.io/v1/clusterroles",
      "resources.deny",
    ],
    ["resources: {allow: [core/pods]}", `GET ${ns}/a/pods`, "allowed"],
    ["resources: {allow: [core/pods]}", `POST ${ns}/a/pods/b/exec`, "resources.allow"],
    ["resources: {allow: [core/pods, core/pods/log]}", `GET ${ns}/a/pods/b/log`, "allowed"],
    ["resources: {allow: ['core/pods/*']}", `POST ${ns}/a/pods/b/exec`, "allowed"],
    ["resources: {allow: ['core/pods/*']}", `GET ${ns}/a/pods/b`, "resources.allow"],
    ["resources: {allow: [apps/*]}", "GET /apis/apps/v1/deployments", "allowed"],
    ["resources: {allow: [apps/*]}", "GET /apis/apps.example.com/v1/deployments", "resources.allow"],
    ["resources: {allow: ['*']}", `POST ${ns}/a/pods/b/exec`, "allowed"],

    ["namespaces: {allow: [team-*]}", `GET ${ns}/team-a/pods`, "allowed"],
    ["namespaces: {allow: [team-*]}", `GET ${ns}/other/pods`, "namespaces.allow"],
    ["namespaces: {allow: [team-*]}", `GET ${ns}/xteam-a/pods`, "namespaces.allow"],
    ["namespaces: {allow: [a.b]}", `GET ${ns}/axb/pods`, "namespaces.allow"],
    ["namespaces: {allow: [team-*]}", "GET /api/v1/pods", "namespaces.clusterWide"],
    ["namespaces: {allow: [team-*]}", "GET /api/v1/nodes", "namespaces.clusterWide"],
    ["namespaces: {allow: [team-*]}", "GET /apis", "allowed"],
    ["namespaces: {allow: [team-*]}", `GET ${ns}/team-a`, "allowed"],
    ["namespaces: {allow: [team-*]}", `DELETE ${ns}/other`, "namespaces.allow"],
    ["namespaces: {allow: [team-*]}", "POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews", "allowed"],
    ["namespaces: {deny: [kube-system]}", `GET ${ns}/kube-system/pods`, "namespaces.deny"],
    ["namespaces: {deny: [kube-system]}", "GET /api/v1/pods", "namespaces.clusterWide"],
    ["namespaces: {deny: [kube-system], clusterWide: true}", "GET /api/v1/pods", "allowed"],
    ["namespaces: {deny: [kube-system], clusterWide: true}", `GET ${ns}/kube-system/pods`, "namespaces.deny"],
  ])("%s: %s is %s", (policy, request, expected) => {
    expect(verdictOf(policy, request)).toBe(expected);
  });

  it.each([
    ["groups: {allow: ['fairlead:viewers']}", { groups: ["fairlead:viewers"] }, "allowed"],
    ["groups: {allow: ['fairlead:viewers']}", { groups: ["fairlead:viewers", "fairlead:admins"] }, "groups.allow"],
    ["groups: {allow: ['oidc:*']}", { groups: ["oidc:devs"] }, "allowed"],
    ["groups: {allow: ['*']}", { groups: ["system:masters"] }, "system groups"],
    ["users: {deny: ['robot:*']}", { user: "robot:ci" }, "users.deny"],
    ["users: {deny: ['robot:*']}", { user: "alice" }, "allowed"],
    ["users: {allow: ['alice', 'robot:*']}", { user: "robot:ci" }, "allowed"],
    ["users: {allow: ['alice', 'robot:*']}", { user: "mallory" }, "users.allow"],
    ["users: {allow: ['*']}", { user: "system:node:n" }, "system users"],
  ])("%s: %j is %s", (policy, who, expected) => {
    expect(verdictOf(policy, "GET /version", who)).toBe(expected);
  });

  it.each([
    "readonly: true",
    "readOnly: yes please",
    "namespaces: [a]",
    "namespaces: {alow: [a]}",
    "verbs: {deny: [read]}",
    "resources: {deny: [pods]}",
    "resources: {deny: [pods/exec]}",
    "resources: {deny: [core/pods/exec/x]}",
    "groups: {deny: [a]}",
    "- readOnly",
  ])("%j isn't one", (text) => {
    expect(policySchema.safeParse(parse(text)).success).toBe(false);
  });
});

describe("what a hub says of a person beside name and groups", () => {
  const signIn = "a".repeat(26);
  const alice = (uid: string | undefined, ...keys: string[]) => ({
    uid,
    extra: Object.fromEntries(keys.map((key) => [key, ["x"]])),
  });

  it.each([
    ["{}", alice(undefined), "allowed"],
    ["{}", alice(`usr_${signIn}`), "allowed"],
    ["{}", alice(`rob_${signIn}`), "allowed"],
    ["{}", alice(`adm_${signIn}`), "allowed"],
    ["{}", alice(`usr_${signIn}x`), "uids.allow"],
    ["{}", alice(`USR_${signIn}`), "uids.allow"],
    ["{}", alice("0b1f3c52-6d0a-4c8e-9a3b-1c2d3e4f5a6b"), "uids.allow"],
    ["uids: {allow: ['corp-*']}", alice("corp-7"), "allowed"],
    ["uids: {allow: ['corp-*']}", alice(`usr_${signIn}`), "uids.allow"],
    ["uids: {allow: []}", alice(undefined), "allowed"],
    ["{}", alice(undefined, "scopes"), "extras.allow"],
    ["{}", alice(undefined, "authentication.kubernetes.io/pod-name"), "extras.allow"],
    ["extras: {allow: [example.com/team]}", alice(undefined, "example.com/team"), "allowed"],
    ["extras: {allow: [example.com/team]}", alice(undefined, "example.com/team", "scopes"), "extras.allow"],
    ["extras: {allow: [example.com/team]}", alice(undefined, "Example.com/team"), "extras.allow"],
    ["extras: {allow: ['*']}", alice(undefined, "scopes"), "allowed"],
    // No pattern reaches Kubernetes' own.
    ["extras: {allow: ['*']}", alice(undefined, "authentication.kubernetes.io/node-name"), "extras.allow"],
    ["extras: {allow: ['*']}", alice(undefined, "k8s.io/x"), "extras.allow"],
    ["extras: {allow: ['*']}", alice(undefined, "authentication.Kubernetes.IO/node-name"), "extras.allow"],
    ["extras: {allow: ['*']}", alice(undefined, "notk8s.io/x"), "allowed"],
    ["extras: {allow: [k8s.io/x]}", alice(undefined, "k8s.io/x"), "allowed"],
  ])("%s: %j is %s", (policy, who, expected) => {
    expect(verdictOf(policy, "GET /version", who)).toBe(expected);
  });
});

describe("the agent's own namespace", () => {
  it.each([
    ["{}", `GET ${ns}/fairlead/pods`, "allowed"],
    ["{}", `GET ${ns}/fairlead/pods/x/log`, "allowed"],
    ["{}", `PATCH ${ns}/fairlead/configmaps/policy`, "own namespace"],
    ["{}", `PATCH ${ns}/fairlead/configmaps/policy?dryRun=All`, "own namespace"],
    ["{}", "PATCH /apis/apps/v1/namespaces/fairlead/deployments/fairlead-agent-proxy", "own namespace"],
    ["{}", "PUT /apis/apps/v1/namespaces/fairlead/deployments/fairlead-agent-proxy/scale", "own namespace"],
    ["{}", `POST ${ns}/fairlead/serviceaccounts/fairlead-agent-proxy/token`, "own namespace"],
    ["{}", `GET ${ns}/fairlead/pods/x/exec`, "own namespace"],
    ["{}", `PATCH ${ns}/fairlead/pods/x/ephemeralcontainers`, "own namespace"],
    ["{}", `GET ${ns}/fairlead/pods/x/proxy/`, "own namespace"],
    ["{}", "GET /api/v1/proxy/namespaces/fairlead/pods/x", "own namespace"],
    ["{}", "GET /api/v1/nodes/n/proxy/run/fairlead/x/agent", "own namespace"],
    ["{}", `DELETE ${ns}/fairlead`, "own namespace"],
    ["{}", `PUT ${ns}/fairlead/finalize`, "own namespace"],
    ["{}", `DELETE ${ns}/fair%6cead/pods`, "own namespace"],
    ["{}", "DELETE /apis/rbac.authorization.k8s.io/v1/clusterrolebindings", "own namespace"],
    ["{}", `PATCH ${ns}/shop/configmaps/policy`, "allowed"],
    ["openOwnNamespace: true", `PATCH ${ns}/fairlead/configmaps/policy`, "allowed"],
    ["{openOwnNamespace: true, readOnly: true}", `PATCH ${ns}/fairlead/configmaps/policy`, "readOnly"],
  ])("%s: %s is %s", (policy, request, expected) => {
    expect(verdictOf(policy, request, {}, "fairlead")).toBe(expected);
  });
});

function verdictOf(
  policy: string,
  request: string,
  who: Partial<CallerIdentity> = {},
  ownNamespace: string | undefined = undefined,
): string {
  const [method = "", path = ""] = request.split(" ");
  const attributes = readRequestAttributes({ method, path });
  if (!attributes) throw new Error("the test's path is ambiguous");
  const identity = { user: "alice", groups: [], ...who };
  const verdict = judge(policySchema.parse(parse(policy)), { attributes, identity, ownNamespace });
  return verdict.allowed ? "allowed" : verdict.rule;
}

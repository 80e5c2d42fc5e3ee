import { readRequestAttributes } from "@fairlead/kube";
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

function verdictOf(policy: string, request: string, who: { user?: string; groups?: readonly string[] } = {}): string {
  const [method = "", path = ""] = request.split(" ");
  const attributes = readRequestAttributes({ method, path });
  if (!attributes) throw new Error("the test's path is ambiguous");
  const identity = { user: who.user ?? "alice", groups: who.groups ?? [] };
  const verdict = judge(policySchema.parse(parse(policy)), { attributes, identity });
  return verdict.allowed ? "allowed" : verdict.rule;
}

import { type RequestAttributes, readRequestAttributes } from "@fairlead/kube";
import { expect, test } from "vitest";
import { allowsKind, judgeCommand, judgeServiceAccount } from "./judge-command.ts";
import { policySchema } from "./schema.ts";

function about(method: string, path: string): RequestAttributes {
  const attributes = readRequestAttributes({ method, path });
  if (attributes === undefined) throw new Error("it can be read in two ways");
  return attributes;
}

const inTeam = "/api/v1/namespaces/team-a";

test.each([
  [{}, "PATCH", `${inTeam}/secrets/x`, undefined],
  [{ readOnly: true }, "PATCH", `${inTeam}/configmaps/x`, "readOnly"],
  [{ denySecretReads: true }, "GET", `${inTeam}/secrets/x`, "denySecretReads"],
  [{ namespaces: { deny: ["team-*"] } }, "GET", `${inTeam}/pods`, "namespaces.deny"],
  [{ users: { deny: ["ann@*"] } }, "GET", `${inTeam}/pods`, "users.deny"],
  [{ groups: { allow: [] } }, "GET", `${inTeam}/pods`, undefined],
  [{ execute: { namespaces: { allow: ["team-*"] } } }, "PATCH", `${inTeam}/configmaps/x`, undefined],
  [{ execute: { namespaces: { allow: ["team-*"] } } }, "PATCH", inTeam, undefined],
  [{ execute: { namespaces: { allow: ["team-b"] } } }, "GET", `${inTeam}/pods`, "execute.namespaces.allow"],
  [{ execute: { namespaces: { allow: ["team-*"] } } }, "GET", "/api/v1/nodes", "execute.namespaces.clusterWide"],
  [{ execute: { namespaces: { allow: ["team-*"], clusterWide: true } } }, "GET", "/api/v1/nodes", undefined],
  [{ execute: { resources: { deny: ["core/secrets"] } } }, "GET", `${inTeam}/secrets/x`, "execute.resources.deny"],
  [{ execute: { namespaces: { allow: ["none"] } } }, "GET", "/apis/apps/v1", undefined],
  [
    { resources: { deny: ["core/pods"] }, execute: { resources: { allow: ["*"] } } },
    "GET",
    `${inTeam}/pods`,
    "resources.deny",
  ],
])("%j: of a command %s %s is stopped by %s", (file, method, path, rule) => {
  const verdict = judgeCommand(policySchema.parse(file), { attributes: about(method, path), requester: "ann@x.com" });
  expect(verdict.allowed ? undefined : verdict.rule).toBe(rule);
});

test("nobody gives commands under a name of the cluster's own", () => {
  const verdict = judgeCommand(policySchema.parse({}), {
    attributes: about("GET", `${inTeam}/pods`),
    requester: "system:admin",
  });
  expect(verdict).toMatchObject({ allowed: false, rule: "system users" });
});

test("kinds are those named, or all", () => {
  expect(allowsKind(policySchema.parse({}), "manifests")).toBe(true);
  const policy = policySchema.parse({ execute: { kinds: ["helm"] } });
  expect([allowsKind(policy, "helm"), allowsKind(policy, "manifests")]).toEqual([true, false]);
  expect(policySchema.safeParse({ execute: { kinds: ["shell"] } }).success).toBe(false);
  expect(policySchema.safeParse({ execute: { verbs: { allow: ["get"] } } }).success).toBe(false);
});

test.each([
  [{}, undefined, undefined],
  [{}, "team-a/deployer", undefined],
  [{ allow: ["team-*/deployer"] }, undefined, undefined],
  [{ allow: ["team-*/deployer"] }, "team-a/deployer", undefined],
  [{ allow: ["team-*/deployer"] }, "team-a/admin", "execute.serviceAccounts.allow"],
  [{ allow: ["team-*/deployer"] }, "kube-system/deployer", "execute.serviceAccounts.allow"],
  [{ allow: [] }, "team-a/deployer", "execute.serviceAccounts.allow"],
  [{ required: true }, undefined, "execute.serviceAccounts.required"],
  [{ required: true }, "team-a/deployer", undefined],
])("by %j a command that runs as %s meets the rule %s", (serviceAccounts, account, rule) => {
  const policy = policySchema.parse({ execute: { serviceAccounts } });
  const verdict = judgeServiceAccount(policy, account);
  expect(verdict.allowed ? undefined : verdict.rule).toBe(rule);
  const attributes = about("GET", `${inTeam}/pods`);
  const request = judgeCommand(policy, { attributes, requester: "ann", serviceAccount: account });
  expect(request.allowed ? undefined : request.rule).toBe(rule);
});

test.each(["deployer", "team-a/*/x", "Team/deployer", "", "*"])("%j is no pattern of accounts", (pattern) => {
  expect(policySchema.safeParse({ execute: { serviceAccounts: { allow: [pattern] } } }).success).toBe(false);
});

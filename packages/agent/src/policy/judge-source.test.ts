import { expect, test } from "vitest";
import { judgeSource, listsChart } from "./judge-source.ts";
import { policySchema } from "./schema.ts";

test.each([
  [{}, { is: "git-host", host: "git.example.com" }, undefined],
  [{ execute: {} }, { is: "tofu-module", source: "anything" }, undefined],
  [
    { execute: { git: { hosts: { allow: ["*.example.com"] } } } },
    { is: "git-host", host: "git.example.com" },
    undefined,
  ],
  [
    { execute: { git: { hosts: { allow: ["git.example.com"] } } } },
    { is: "git-host", host: "git.example.com.evil.example" },
    "execute.git.hosts.allow",
  ],
  [{ execute: { git: { hosts: { allow: [] } } } }, { is: "git-host", host: "x" }, "execute.git.hosts.allow"],
  [
    { execute: { tofu: { modules: { allow: ["registry.opentofu.org/ours/*"] } } } },
    { is: "tofu-module", source: "registry.opentofu.org/theirs/x/y" },
    "execute.tofu.modules.allow",
  ],
] as const)("%j for %j gives %s", (policy, source, rule) => {
  const verdict = judgeSource(policySchema.parse(policy), source);
  expect(verdict.allowed ? undefined : verdict.rule).toBe(rule);
});

test.each([
  [undefined, "https://any.example.com", true],
  [[], "inline", false],
  [["inline"], "inline", true],
  [["inline"], "oci://registry.example.com/web", false],
  [["https://charts.example.com/stable"], "https://charts.example.com/stable", true],
  [["https://charts.example.com/stable/"], "https://charts.example.com/stable/more", true],
  [["https://charts.example.com/stable"], "https://charts.example.com/stable-not", false],
  [["https://charts.example.com"], "https://charts.example.com.evil.example", false],
  [["https://charts.example.com"], "http://charts.example.com", false],
  [["oci://registry.example.com/team-*"], "oci://registry.example.com/team-a/web", true],
  [["oci://registry.example.com/team"], "oci://registry.example.com/team-a/web", false],
  [["https://*.example.com"], "https://a.example.com/stable", true],
  [["https://*.example.com"], "https://evil.net/a.example.com", false],
  [["https://*.example.com/*"], "https://evil.net/a.example.com/x", false],
  [["https://charts.example.com/team"], "https://charts.example.com/team/../other", false],
  [["*"], "inline", true],
])("with %j charts of %s are let in: %s", (allow, place, isAllowed) => {
  const policy = policySchema.parse({ execute: { charts: allow && { repositories: { allow } } } });
  const verdict = judgeSource(policy, { is: "chart", place });
  expect(verdict).toMatchObject(
    isAllowed ? { allowed: true } : { allowed: false, rule: "execute.charts.repositories.allow" },
  );
});

test.each([
  [undefined, "https://charts.example.com", false],
  [["*"], "https://charts.example.com", false],
  [["https://charts.example.com"], "https://charts.example.com/stable", true],
  [["https://charts.example.com"], "https://other.example.com/stable", false],
])("%j names %s: %s", (allow, place, isListed) => {
  const policy = policySchema.parse({ execute: { charts: allow && { repositories: { allow } } } });
  expect(listsChart(policy, place)).toBe(isListed);
});

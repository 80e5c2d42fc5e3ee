import { expect, test } from "vitest";
import { judgeHost } from "./judge-host.ts";
import { policySchema } from "./schema.ts";
import { tofuRules } from "./tofu-rules.ts";

const network = (...allow: string[]) => ({ network: { hosts: { allow } } });
const rule = "execute.network.hosts.allow";

test.each([
  [{}, "example.com", 443, { allowed: true, isLocal: false }],
  [{}, "127.0.0.1", 443, { allowed: true, isLocal: false }],
  [network(), "example.com", 443, { allowed: false, rule }],
  [network("example.com"), "example.com", 22, { allowed: true, isLocal: false }],
  [network("*.example.com"), "evil.net/a.example.com", 443, { allowed: false, rule }],
  [network("*"), "127.0.0.1", 5000, { allowed: true, isLocal: false }],
  [network("127.0.0.1:5000"), "127.0.0.1", 5000, { allowed: true, isLocal: true }],
  [network("localhost:*"), "localhost", 5000, { allowed: true, isLocal: true }],
  [network("git.example.com:5000"), "git.example.com", 5000, { allowed: true, isLocal: false }],
  [network("127.0.0.1:5000"), "127.0.0.1", 5001, { allowed: false, rule }],
  [
    { ...network(), charts: { repositories: { allow: ["https://charts.example.com/a"] } } },
    "charts.example.com",
    443,
    { allowed: true },
  ],
  [
    { ...network(), charts: { repositories: { allow: ["https://charts.example.com/a"] } } },
    "charts.example.com",
    80,
    { allowed: false, rule },
  ],
  [{ ...network(), charts: { repositories: { allow: ["*"] } } }, "example.com", 443, { allowed: false, rule }],
  [{ ...network(), git: { hosts: { allow: ["git.example.com"] } } }, "git.example.com", 22, { allowed: true }],
  [{ ...network(), git: { hosts: { allow: ["*"] } } }, "git.example.com", 22, { allowed: false, rule }],
  [{ git: { hosts: { allow: ["git.example.com"] } } }, "other.example.com", 22, { allowed: true }],
] as const)("%j for %s, port %i", (execute, host, port, expected) => {
  expect(judgeHost(policySchema.parse({ execute }), { host, port })).toMatchObject(expected);
});

test.each([
  [undefined, "AWS_REGION", true],
  [undefined, "TF_VAR_region", true],
  [undefined, "DATABASE_URL", false],
  [["DATABASE_*"], "DATABASE_URL", true],
  [["DATABASE_*"], "AWS_REGION", false],
  ...[
    "TF_CLI_ARGS",
    "TF_CLI_ARGS_plan",
    "TF_CLI_CONFIG_FILE",
    "TF_PLUGIN_CACHE_DIR",
    "TF_REATTACH_PROVIDERS",
    "LD_PRELOAD",
    "PATH",
    "HOME",
    "https_proxy",
    "NO_PROXY",
    "GIT_SSH_COMMAND",
    "NODE_OPTIONS",
    "KUBECONFIG",
  ].map((name) => [["*"], name, false] as const),
] as const)("with %j a command sets %s: %s", (allow, name, expected) => {
  const policy = policySchema.parse({ execute: { tofu: { environment: allow && { allow } } } });
  expect(tofuRules(policy).judgeVariable(name).allowed).toBe(expected);
});

test("a configuration runs no programs of its own unless the policy says so", () => {
  expect(tofuRules(policySchema.parse({})).programs).toBe(false);
  expect(tofuRules(policySchema.parse({ execute: { tofu: { programs: true } } })).programs).toBe(true);
});

test.each([
  [undefined, "registry.opentofu.org/x/y", true],
  [["registry.opentofu.org/hashicorp/*"], "registry.opentofu.org/hashicorp/aws", true],
  [["registry.opentofu.org/hashicorp/*"], "registry.opentofu.org/x/hashicorp", false],
  [["registry.opentofu.org/hashicorp/*"], "evil.net/registry.opentofu.org/hashicorp/aws", false],
])("with %j the provider %s is let in: %s", (allow, source, expected) => {
  const policy = policySchema.parse({ execute: { tofu: { providers: allow && { allow } } } });
  expect(tofuRules(policy).judgeProvider(source).allowed).toBe(expected);
});

test.each([
  { network: { hosts: { allow: ["https://example.com"] } } },
  { network: { hosts: { allow: ["a/b"] } } },
  { network: { host: {} } },
  { tofu: { environment: { allow: ["A B"] } } },
  { tofu: { program: true } },
  { charts: { repositories: { allow: ["https://a b"] } } },
])("the rule %j isn't one", (execute) => {
  expect(policySchema.safeParse({ execute }).success).toBe(false);
});

// Bindings in one line each, for tests of the policy.
import type { AccessBinding, AccessRole } from "@fairlead/contract";
import { builtInRoles } from "../grants/built-in-roles.ts";
import { type Grant, namesAsker } from "./policy.ts";
import type { Principal } from "./types.ts";

/** Custom roles beside the built-in ones. */
export const testRoles: readonly AccessRole[] = [
  ...builtInRoles,
  custom("dev-pods", { clusterRules: [{ verbs: ["get", "create"], resources: ["pods"], namespaces: ["dev"] }] }),
  custom("debugger", { clusterRules: [{ verbs: ["create"], resources: ["pods/exec"] }], groups: ["debuggers"] }),
  custom("dev-exec", { clusterRules: [{ verbs: ["create"], resources: ["pods/exec"], namespaces: ["dev"] }] }),
  custom("subresources", { clusterRules: [{ verbs: ["get"], resources: ["pods/*", "*/scale"] }] }),
  custom("deployer", { clusterRules: [{ verbs: ["*"], apiGroups: ["apps"], resources: ["deployments"] }] }),
  custom("not-config", {
    clusterRules: [{ verbs: ["get"], resources: ["*"], except: ["configmaps", "secrets"] }],
  }),
  custom("support", {
    clusterRules: [{ verbs: ["get", "list"], resources: ["*"] }],
    groups: ["support"],
    mayImpersonate: { users: ["dev-*", "bob"], groups: ["devs"] },
  }),
  custom("admins-only", {
    clusterRules: [{ verbs: ["get"], resources: ["leases"] }],
    groups: ["fairlead:admins"],
  }),
  custom("groups-only", { mayImpersonate: { groups: ["*"] } }),
  custom("starred", { groups: ["dev-*"] }),
  custom("any-group", { clusterRules: [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"] }] }),
  custom("auditor", { hubRules: [{ verbs: ["list"], resources: ["audit"] }] }),
  custom("token-maker", { hubRules: [{ verbs: ["create"], resources: ["clusters/tokens"] }] }),
  custom("sneaky", { clusterRules: [{ verbs: ["*"], resources: ["*"] }], groups: ["system:masters"] }),
];

/** `user:alice=viewer@east,west`, `group:dev=operator@env=prod`, `robot:ci=admin@*`; a `!` at the end records. */
export function bind(text: string): AccessBinding {
  const [, kind = "", name = "", role = "", where = "", record] =
    /^([\w-]+):(.+?)=([\w-]+)@([^!]+)(!?)$/.exec(text) ?? [];
  return {
    id: text,
    role,
    record: record === "!",
    createdAt: "",
    createdBy: "",
    subject: { kind: kind as "user", name },
    clusters: chooseClusters(where),
  };
}

/** Finds the asker's own among these bindings. */
export function grantsOf(asker: Principal, bindings: readonly string[]): Grant[] {
  return bindings.map(bind).flatMap((binding) => {
    const role = testRoles.find(({ name }) => name === binding.role);
    if (!role) throw new Error(`no role ${binding.role}`);
    return namesAsker(binding, asker) ? [{ binding, role }] : [];
  });
}

export function user(name: string, groups: readonly string[] = []): Principal {
  return { kind: "user", name, uid: `uid-of-${name}`, groups };
}

export function robot(name: string, scope?: Principal["scope"]): Principal {
  return { kind: "robot", name: `robot:${name}`, uid: `uid-of-${name}`, groups: [], scope };
}

export function chooseClusters(where: string): AccessBinding["clusters"] {
  if (where === "*") return { all: true };
  if (!where.includes("=")) return { names: where.split(",") };
  return { selector: { matchLabels: Object.fromEntries(where.split(",").map((pair) => pair.split("="))) } };
}

function custom(name: string, rules: Partial<AccessRole>): AccessRole {
  return { name, isBuiltIn: false, hubRules: [], clusterRules: [], groups: [], ...rules };
}

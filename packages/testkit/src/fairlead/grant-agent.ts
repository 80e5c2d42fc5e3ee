// The rights of an agent of the roles proxy and observe in its cluster: those that the chart gives it, and no more.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Fields } from "@fairlead/kernel";
import { parse } from "yaml";
import { chartFolder } from "../charts/index.ts";
import type { AppliedObject } from "../cluster/index.ts";

export const rbac = "rbac.authorization.k8s.io";

/** Roles and bindings as objects. `NAMESPACE-proxy` and `NAMESPACE-observe` are ClusterRoles of this agent alone. */
export async function grantAgent(options: {
  readonly namespace: string;
  readonly account: object;
  readonly include: readonly string[];
  /** Groups that it may act for, beside those of the hub's own roles. */
  readonly groups?: readonly string[];
}): Promise<readonly AppliedObject[]> {
  const { namespace, account, include, groups = [] } = options;
  const kinds = [...(await readKinds("defaultKinds")), ...include];
  const checked = await readKinds("checkedKinds");
  const configMaps = await readCheckedConfigMaps();
  const meta = { name: "fairlead-agent", namespace };
  return [
    { ...clusterRole(`${namespace}-proxy`), rules: impersonation(groups) },
    bindClusterRole(`${namespace}-proxy`, `${namespace}-proxy`, account),
    {
      ...clusterRole(`${namespace}-observe`),
      rules: [...kinds.map(toReadRule), ...checked.map(toListRule), configMaps],
    },
    bindClusterRole(`${namespace}-observe`, `${namespace}-observe`, account),
    { apiVersion: `${rbac}/v1`, kind: "Role", metadata: meta, rules: [leases] },
    {
      apiVersion: `${rbac}/v1`,
      kind: "RoleBinding",
      metadata: meta,
      roleRef: { apiGroup: rbac, kind: "Role", name: meta.name },
      subjects: [account],
    },
  ];
}

export function bindClusterRole(name: string, role: string, subject: object): AppliedObject {
  return {
    apiVersion: `${rbac}/v1`,
    kind: "ClusterRoleBinding",
    metadata: { name },
    roleRef: { apiGroup: rbac, kind: "ClusterRole", name: role },
    subjects: [subject],
  };
}

/** The chart lets an agent read these by default: `pods`, `deployments.apps` … */
async function readKinds(list: "defaultKinds" | "checkedKinds"): Promise<string[]> {
  const path = join(chartFolder("fairlead-agent"), "templates", "observe", "_rules.tpl");
  const text = await readFile(path, "utf8");
  const found = new RegExp(`define "fairlead-agent\\.observe\\.${list}" -}}\\n([^{]+)\\n{{- end -}}`).exec(text)?.[1];
  if (found === undefined) throw new Error(`the chart fairlead-agent has no list ${list}`);
  return found.trim().split("\n");
}

/** Those that the chart's values name. */
async function readCheckedConfigMaps(): Promise<object> {
  const values: unknown = parse(await readFile(join(chartFolder("fairlead-agent"), "values.yaml"), "utf8"));
  const names = new Fields(values).at("observe", "doctor", "configMaps").list();
  return {
    apiGroups: [""],
    resources: ["configmaps"],
    verbs: ["get"],
    resourceNames: names.map((name) => name.text() ?? ""),
  };
}

function toReadRule(kind: string): object {
  const [resource = "", ...group] = kind.split(".");
  return { apiGroups: [group.join(".")], resources: [resource], verbs: ["get", "list", "watch"] };
}

function toListRule(kind: string): object {
  return { ...toReadRule(kind), verbs: ["list"] };
}

/** As the chart has it: any user, these groups and no others, no ServiceAccount and no extra. */
function impersonation(more: readonly string[]): readonly object[] {
  const groups = ["viewers", "operators", "admins", "argocd"].map((name) => `fairlead:${name}`);
  return [
    { apiGroups: [""], resources: ["users"], verbs: ["impersonate"] },
    { apiGroups: [""], resources: ["groups"], resourceNames: [...groups, ...more], verbs: ["impersonate"] },
    { apiGroups: ["authentication.k8s.io"], resources: ["uids"], verbs: ["impersonate"] },
    { apiGroups: [""], resources: ["namespaces"], resourceNames: ["kube-system"], verbs: ["get"] },
  ];
}

function clusterRole(name: string): AppliedObject {
  return { apiVersion: `${rbac}/v1`, kind: "ClusterRole", metadata: { name } };
}

const leases = { apiGroups: ["coordination.k8s.io"], resources: ["leases"], verbs: ["get", "create", "update"] };

// Turns a role of an autonomous cluster's project into the one that the hub shows. Pure. On the hub a role allows what the
// hub's policy lists, of that project's applications alone, and to groups that the policy lists.

import type { MirrorPolicy } from "../types.ts";
import { asFields, type Fields } from "./as-fields.ts";
import { toProjectName } from "./mirror-location.ts";

export interface RoleScope {
  readonly cluster: string;
  /** Its name in the cluster. */
  readonly project: string;
  readonly policy: MirrorPolicy;
}

/** A role whose name could be read as more than a name is left out: Argo CD writes it into lines of rules. */
export function toMirroredRoles(roles: unknown, scope: RoleScope): Fields[] {
  if (!Array.isArray(roles)) return [];
  return roles
    .map((role: unknown) => asFields(role))
    .filter(({ name }) => typeof name === "string" && roleName.test(name))
    .slice(0, maxRoles)
    .map((role) => toRole(role, scope));
}

/** Tokens of a role that the cluster's Argo CD signed mean nothing on the hub. */
function toRole({ name, description, groups, policies }: Fields, scope: RoleScope): Fields {
  const { policy } = scope;
  const kept = Array.isArray(groups) ? policy.groups.filter((group) => groups.includes(group)) : [];
  return {
    name,
    ...(typeof description === "string" && { description }),
    policies: Array.isArray(policies) ? toPolicies(policies, scope) : [],
    ...(kept.length > 0 && { groups: kept }),
  };
}

/** What a line forbids can't be left out alone: the others would allow more than the cluster meant. */
function toPolicies(lines: readonly unknown[], scope: RoleScope): string[] {
  if (lines.length > maxLines) return [];
  const read = lines.map((line) => ({ line, kept: readPolicy(line, scope) }));
  const isLost = read.some(({ line, kept }) => kept === undefined && typeof line === "string" && denial.test(line));
  return isLost ? [] : [...new Set(read.flatMap(({ kept = [] }) => kept))];
}

/**
 * `p, proj:PROJECT:ROLE, RESOURCE, ACTION, PROJECT/APPLICATION, EFFECT`. A line of another shape gives no right, and
 * neither does one with a pattern in its action: that may stand for more than the hub knows.
 */
function readPolicy(line: unknown, { cluster, project, policy }: RoleScope): string[] | undefined {
  if (typeof line !== "string") return undefined;
  const [type, subject = "", resource = "", action = "", object = "", effect = "", ...more] = line
    .split(",")
    .map((field) => field.trim());
  const [prefix, subjectProject, role = "", ...rest] = subject.split(":");
  const [objectProject, ...names] = object.split("/");
  const application = names.at(-1) ?? "";
  const isOwn = prefix === "proj" && subjectProject === project && objectProject === project;
  const isWhole = type === "p" && rest.length === 0 && more.length === 0 && names.length >= 1 && names.length <= 2;
  if (!isOwn || !isWhole || !roleName.test(role) || !objectName.test(application)) return undefined;
  if (effect !== "allow" && effect !== "deny") return undefined;
  const name = toProjectName(cluster, project);
  const rights = readRights(resource, action, policy);
  return rights?.map((right) => `p, proj:${name}:${role}, ${right}, ${name}/${cluster}/${application}, ${effect}`);
}

/** `RESOURCE, ACTION` each; none for what the policy never allows. Undefined: it may mean more than the hub knows. */
function readRights(resource: string, action: string, { actions }: MirrorPolicy): string[] | undefined {
  const all = actions.map((one) => ({ one, ...rightOf(one) }));
  const found = all.filter(
    (right) =>
      (resource === "*" || resource === right.resource) &&
      (action === "*" || isWithin(action, right.one, right.action)),
  );
  if (found.length === 0) return single.test(resource) && single.test(action) ? [] : undefined;
  return found.map((right) => `${right.resource}, ${action === "*" ? right.action : action}`);
}

function rightOf(action: MirrorPolicy["actions"][number]): { readonly resource: string; readonly action: string } {
  switch (action) {
    case "get":
    case "sync":
    case "action/*":
      return { resource: "applications", action };
    case "logs":
      return { resource: "logs", action: "get" };
    case "exec":
      return { resource: "exec", action: "create" };
    default:
      return action satisfies never;
  }
}

function isWithin(action: string, of: MirrorPolicy["actions"][number], whole: string): boolean {
  return of === "action/*" ? resourceAction.test(action) : action === whole;
}

const roleName = /^[A-Za-z0-9](?:[-_A-Za-z0-9]{0,126}[A-Za-z0-9])?$/;
const objectName = /^[\w.*-]{1,253}$/;
/** `action/apps/Deployment/restart` */
const resourceAction = /^action\/[\w.*/-]{1,253}$/;
const single = /^[\w./-]+$/;
const denial = /,\s*deny\s*$/i;
const maxRoles = 64;
const maxLines = 256;

// Turns an autonomous cluster's project into the one that the hub shows. Pure. On the hub a project gives rights over
// that cluster's applications alone, whatever the cluster says.
import { asFields, type Fields } from "./as-fields.ts";
import { toProjectName } from "./places.ts";

export function toMirroredProject(spec: Fields, of: { readonly cluster: string; readonly project: string }): Fields {
  const { permitOnlyProjectScopedClusters: _scoped, ...rest } = spec;
  const { roles } = spec;
  return {
    ...rest,
    sourceNamespaces: [of.cluster],
    destinations: toDestinations(listOf(spec["destinations"]), of.cluster),
    ...(Array.isArray(roles) && { roles: roles.map((role: unknown) => toRole(asFields(role), of)) }),
  };
}

/** All are in the cluster. Those that say where nothing may go are about other ones; Argo CD takes no two that are alike. */
function toDestinations(destinations: readonly Fields[], cluster: string): Fields[] {
  const allowed = destinations.filter(({ name, server }) => !isDenial(name) && !isDenial(server));
  const namespaces = new Set(allowed.map(({ namespace }) => (typeof namespace === "string" ? namespace : "")));
  return [...namespaces].map((namespace) => ({ name: cluster, server: "*", ...(namespace !== "" && { namespace }) }));
}

/** Tokens of a role that the cluster's Argo CD signed mean nothing on the hub. */
function toRole({ jwtTokens: _tokens, ...role }: Fields, of: { cluster: string; project: string }): Fields {
  const { policies } = role;
  if (!Array.isArray(policies)) return role;
  return { ...role, policies: policies.flatMap((line: unknown) => toPolicy(line, of) ?? []) };
}

/** `p, proj:PROJECT:ROLE, RESOURCE, ACTION, PROJECT/APPLICATION, EFFECT`. A line of another shape gives no right. */
function toPolicy(line: unknown, { cluster, project }: { cluster: string; project: string }): string | undefined {
  if (typeof line !== "string") return undefined;
  const [type, subject = "", resource = "", action = "", object = "", effect = "", ...more] = line
    .split(",")
    .map((field) => field.trim());
  const [prefix, subjectProject, role = "", ...rest] = subject.split(":");
  const [objectProject, ...names] = object.split("/");
  const application = names.at(-1) ?? "";
  const isOwn = prefix === "proj" && subjectProject === project && objectProject === project;
  const isWhole = type === "p" && rest.length === 0 && more.length === 0 && names.length >= 1 && names.length <= 2;
  if (!isOwn || !isWhole || !sharedResources.has(resource)) return undefined;
  if (![role, action, effect, application].every((field) => plainField.test(field))) return undefined;
  const name = toProjectName(cluster, project);
  return `p, proj:${name}:${role}, ${resource}, ${action}, ${name}/${cluster}/${application}, ${effect}`;
}

function isDenial(value: unknown): boolean {
  return typeof value === "string" && value.startsWith("!");
}

function listOf(value: unknown): Fields[] {
  return Array.isArray(value) ? value.map(asFields) : [];
}

const sharedResources: ReadonlySet<string> = new Set(["applications", "applicationsets", "logs", "exec"]);
/** Actions may have slashes: `action/apps/Deployment/restart`. */
const plainField = /^[\w.*/-]+$/;

// Asks the API server whether the person may make in the cluster what the chart has, before anything is made.
import { lastLine } from "../../programs/index.ts";
import type { Manifest } from "./chart.ts";
import { attachErrors, rightsMissing } from "./errors.ts";
import type { Target } from "./target.ts";

export interface Right {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly namespace?: string;
}

export async function checkRights(target: Target, objects: readonly Manifest[]): Promise<number> {
  const { context, namespace } = target;
  const hasNamespace = await isThere(target);
  const rights = listRights(objects, { namespace, hasNamespace });
  const missing = await findMissing(target, rights);
  if (missing.length > 0) throw rightsMissing(context, describeAll(missing));
  await checkEscalation(target, objects);
  return rights.length;
}

/** Lists what Helm does to install and upgrade these objects, and what it keeps of its release. */
export function listRights(
  objects: readonly Manifest[],
  { namespace, hasNamespace }: { readonly namespace: string; readonly hasNamespace: boolean },
): Right[] {
  const secrets = ["get", "list", "create", "patch", "update", "delete"].map((verb) => ({
    verb,
    group: "",
    resource: "secrets",
    namespace,
  }));
  const made = objects.flatMap(({ apiVersion, kind, metadata }) => {
    const group = apiVersion.includes("/") ? apiVersion.slice(0, apiVersion.indexOf("/")) : "";
    const place = clusterWide.includes(kind) ? {} : { namespace: metadata.namespace ?? namespace };
    return ["get", "create", "patch"].map((verb) => ({ verb, group, resource: pluralOf(kind), ...place }));
  });
  const namespaces = hasNamespace ? [] : [{ verb: "create", group: "", resource: "namespaces" }];
  return [...new Map([...namespaces, ...secrets, ...made].map((right) => [describe(right), right])).values()];
}

const clusterWide = ["ClusterRole", "ClusterRoleBinding", "Namespace", "CustomResourceDefinition"];

function pluralOf(kind: string): string {
  return kind.toLowerCase().replace(/y$/, "ie").replace(/s$/, "se").concat("s");
}

function describe(right: Right): string {
  return `${right.verb} ${placeOf(right)}`;
}

function placeOf({ group, resource, namespace }: Right): string {
  return `${resource}${group && `.${group}`}${namespace === undefined ? "" : ` in ${namespace}`}`;
}

/** `get/create/patch clusterroles.rbac.authorization.k8s.io`. */
function describeAll(rights: readonly Right[]): string[] {
  return [...Map.groupBy(rights, placeOf)].map(([place, all]) => `${all.map(({ verb }) => verb).join("/")} ${place}`);
}

async function isThere({ kubectl, namespace }: Target): Promise<boolean> {
  return (await kubectl(["get", "namespace", namespace, "--output", "name", "--request-timeout", "20s"])).code === 0;
}

/** All questions in one call; answers come in their order. */
async function findMissing({ context, kubectl }: Target, rights: readonly Right[]): Promise<Right[]> {
  const items = rights.map((resourceAttributes) => ({
    apiVersion: "authorization.k8s.io/v1",
    kind: "SelfSubjectAccessReview",
    spec: { resourceAttributes },
  }));
  const input = JSON.stringify({ apiVersion: "v1", kind: "List", items });
  const format = ["--output", 'jsonpath={.status.allowed}{"\\n"}'];
  const asked = await kubectl(["create", "--validate=false", "--filename", "-", ...format], { input });
  const answers = asked.stdout.split("\n").filter(Boolean);
  if (asked.code !== 0 || answers.length !== rights.length)
    throw attachErrors.CLI_CLUSTER_UNREACHABLE({ context, why: lastLine(asked) });
  return rights.filter((_, index) => answers[index] !== "true");
}

/** Nobody may give rights that he hasn't: the API server alone can say so, and does when it is asked to pretend. */
async function checkEscalation({ context, kubectl }: Target, objects: readonly Manifest[]): Promise<void> {
  const roles = objects.filter(({ kind }) => kind === "ClusterRole");
  const own = new Set(roles.map(({ metadata }) => metadata.name));
  const bindings = objects.filter(
    ({ kind, roleRef }) => kind === "ClusterRoleBinding" && !own.has(roleRef?.name ?? ""),
  );
  if (roles.length + bindings.length === 0) return;
  const input = JSON.stringify({ apiVersion: "v1", kind: "List", items: [...roles, ...bindings] });
  const pretend = ["--server-side", "--dry-run=server", "--force-conflicts", "--field-manager=helm"];
  const answer = await kubectl(["apply", ...pretend, "--filename", "-"], { input });
  if (answer.code === 0) return;
  const [why = ""] = answer.stderr.split("\n").filter((line) => line.includes("forbidden"));
  if (why === "") throw attachErrors.CLI_CLUSTER_UNREACHABLE({ context, why: lastLine(answer) });
  throw rightsMissing(context, [why.replace(/^Error from server \(Forbidden\): /, "").slice(0, 500)]);
}

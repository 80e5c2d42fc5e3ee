// Being recorded is handed on with the right: of two who may run the same, the one who got it from the other isn't less
// recorded. Pure.
import type { AccessBinding, AccessRole, ClusterRule } from "@fairlead/contract";
import type { RequestAttributes } from "@fairlead/kube";
import { choicesOverlap, type Grant, type Labels, missOfRule, namesAsker, type Principal } from "../policy/index.ts";

type Rules = Pick<AccessRole, "clusterRules">;
type LabelsOf = (cluster: string) => Labels | undefined;

/** True when the giver is recorded for anything that the role runs on these clusters. */
export function isRecordedFor(options: {
  readonly giver: readonly Grant[];
  readonly role: Rules;
  readonly clusters: AccessBinding["clusters"];
  readonly labels: LabelsOf;
}): boolean {
  const { giver, role, clusters, labels } = options;
  return giver.some(
    ({ binding, role: held }) =>
      binding.record === true && choicesOverlap(binding.clusters, clusters, labels) && runTheSame(held, role),
  );
}

/**
 * Finds the remaining grants by which a user who is recorded now would go on unrecorded. The groups of a user who never
 * signed in aren't known: they may be in any.
 */
export function findUnrecorded(options: {
  /** Grants that are taken away. */
  readonly gone: readonly Grant[];
  readonly left: readonly Grant[];
  readonly known: readonly Principal[];
  readonly labels: LabelsOf;
}): Grant[] {
  const { gone, left, known, labels } = options;
  const recorded = gone.filter(({ binding }) => binding.record === true);
  if (recorded.length === 0) return [];
  return left.filter(
    ({ binding, role }) =>
      binding.record !== true &&
      recorded.some(
        (one) =>
          choicesOverlap(one.binding.clusters, binding.clusters, labels) &&
          runTheSame(one.role, role) &&
          mayShareSubject(one.binding, binding, known),
      ),
  );
}

/** True when the new rules still run all that the old ones do. */
export function keepsRuns(before: Rules, after: Rules): boolean {
  return runs.every((run) => {
    const [old, now] = [namespacesOf(before.clusterRules, run), namespacesOf(after.clusterRules, run)];
    return old === undefined || now === "all" || (old !== "all" && now !== undefined && old.isSubsetOf(now));
  });
}

function runTheSame(one: Rules, other: Rules): boolean {
  return runs.some((run) => {
    const [a, b] = [namespacesOf(one.clusterRules, run), namespacesOf(other.clusterRules, run)];
    if (a === undefined || b === undefined) return false;
    return a === "all" || b === "all" || !a.isDisjointFrom(b);
  });
}

/** Where the rules give this; undefined for nowhere. */
function namespacesOf(rules: readonly ClusterRule[], run: RequestAttributes): "all" | ReadonlySet<string> | undefined {
  const found = new Set<string>();
  for (const { namespaces, ...rule } of rules) {
    if (missOfRule(rule, run) !== undefined) continue;
    if (!namespaces) return "all";
    for (const namespace of namespaces) found.add(namespace);
  }
  return found.size === 0 ? undefined : found;
}

function mayShareSubject(one: AccessBinding, other: AccessBinding, known: readonly Principal[]): boolean {
  const [a, b] = [one.subject, other.subject];
  if (a.kind === b.kind && a.name === b.name) return true;
  if (known.some((principal) => namesAsker(one, principal) && namesAsker(other, principal))) return true;
  const isStranger = ({ kind, name }: AccessBinding["subject"]): boolean =>
    kind === "user" && !known.some((principal) => principal.kind === "user" && principal.name === name);
  return (a.kind === "group" && isStranger(b)) || (b.kind === "group" && isStranger(a));
}

/** Recorded requests, and one that is refused to a recorded user because it can't be recorded: a kubelet's own API. */
const runs: readonly RequestAttributes[] = [
  toRun("create", "pods", "exec"),
  toRun("create", "pods", "attach"),
  toRun("proxy", "nodes", ""),
  ...["get", "head", "list", "watch", "create", "update", "patch", "delete", "deletecollection"].map((verb) =>
    toRun(verb, "nodes", "proxy"),
  ),
];

function toRun(verb: string, resource: string, subresource: string): RequestAttributes {
  const where = { path: "/", apiGroup: "", apiVersion: "v1", namespace: "", name: "" };
  return { ...where, isResource: true, verb, resource, subresource };
}

// What a change of a cluster's settings makes of it, and how its history says so.
import { applyLabelChanges, type Labels, maxLabels, type UpdateClusterRequest } from "@fairlead/contract";
import { clustersErrors } from "./errors.ts";
import type { ClusterRow, ClusterUpdate } from "./types.ts";

/** Throws CLUSTER_LABELS_TOO_MANY. */
export function toUpdate(name: string, before: Labels, request: UpdateClusterRequest): ClusterUpdate {
  const { labels: changes = {}, displayName, protected: isProtected } = request;
  const after = applyLabelChanges(before, changes);
  if (Object.keys(after).length > maxLabels) throw clustersErrors.CLUSTER_LABELS_TOO_MANY({ name, max: maxLabels });
  const isSame = diffLabels(before, after).length === 0;
  return { labels: isSame ? undefined : { before, after }, displayName, isProtected };
}

/** Undefined when nothing has changed. */
export function describeUpdate(
  by: string,
  { before, row: after }: { readonly before: ClusterRow; readonly row: ClusterRow },
): string | undefined {
  const parts = diffLabels(before.labels, after.labels);
  if (before.display_name !== after.display_name)
    parts.push(after.display_name === null ? "no display name" : `the display name ${after.display_name}`);
  if (before.protected !== after.protected) parts.push(after.protected ? "protected" : "not protected any more");
  return parts.length === 0 ? undefined : `Changed by ${by}: ${parts.join(", ")}.`;
}

/** As `kubectl label` writes them. */
function diffLabels(before: Labels, after: Labels): string[] {
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  return keys.flatMap((key) => {
    const [old, now] = [before, after].map((labels) => (Object.hasOwn(labels, key) ? labels[key] : undefined));
    if (old === now) return [];
    return [now === undefined ? `label ${key}-` : `label ${key}=${now}`];
  });
}

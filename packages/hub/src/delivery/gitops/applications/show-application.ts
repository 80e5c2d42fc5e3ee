// Applications as the API shows them. What clusters say isn't trusted to have its shape.
import type { ApplicationDetail, ApplicationHistoryEntry, ApplicationSummary, GitopsMode } from "@fairlead/contract";
import type { GitopsObject } from "@fairlead/protocol";

export interface ShownIn {
  readonly cluster: string;
  readonly mode: GitopsMode;
}

export function toApplicationSummary(object: GitopsObject, { cluster, mode }: ShownIn): ApplicationSummary {
  const { namespace, name, deletionTimestamp } = object.metadata;
  const reconciledAt = textAt(object, "status", "reconciledAt");
  return {
    cluster,
    namespace,
    name,
    mode,
    project: textAt(object, "spec", "project"),
    sync: textAt(object, "status", "sync", "status"),
    health: textAt(object, "status", "health", "status"),
    phase: textAt(object, "status", "operationState", "phase"),
    revision: textAt(object, "status", "sync", "revision"),
    ...(reconciledAt === "" ? {} : { reconciledAt }),
    isDeleting: deletionTimestamp !== undefined,
  };
}

export function toApplicationDetail(object: GitopsObject, where: ShownIn): ApplicationDetail {
  const { resourceVersion = "", labels = {}, annotations = {}, finalizers = [] } = object.metadata;
  return {
    ...toApplicationSummary(object, where),
    resourceVersion,
    labels,
    annotations,
    finalizers,
    spec: recordAt(object, "spec"),
    status: recordAt(object, "status"),
  };
}

/** Newest first. */
export function toApplicationHistory(object: GitopsObject): ApplicationHistoryEntry[] {
  const entries = recordAt(object, "status")["history"];
  if (!Array.isArray(entries)) return [];
  return entries
    .flatMap((entry: unknown) => {
      if (typeof entry !== "object" || entry === null) return [];
      const { id = 0, revision, revisions, deployedAt } = entry as Readonly<Record<string, unknown>>;
      if (typeof id !== "number") return [];
      const shown = typeof revision === "string" ? revision : Array.isArray(revisions) ? revisions.join(",") : "";
      return [{ id, revision: shown, ...(typeof deployedAt === "string" ? { deployedAt } : {}) }];
    })
    .reverse();
}

export function textAt(object: unknown, ...path: readonly string[]): string {
  const found = path.reduce<unknown>((at, key) => (isPlain(at) ? at[key] : undefined), object);
  return typeof found === "string" ? found : "";
}

export function recordAt(object: GitopsObject, key: string): Readonly<Record<string, unknown>> {
  const found = object[key];
  return isPlain(found) ? found : {};
}

function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

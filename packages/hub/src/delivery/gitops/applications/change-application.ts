// Applies requests to an application as Argo CD's own API would. Pure. The errors that it throws are for the caller.
import type { PutApplicationRequest, RollbackApplicationRequest, SyncApplicationRequest } from "@fairlead/contract";
import {
  type GitopsObject,
  gitopsResources,
  mergeAnnotations,
  refreshAnnotation,
  staysBehind,
} from "@fairlead/protocol";
import { gitopsErrors } from "../errors.ts";
import { recordAt, textAt } from "./show-application.ts";

export function newApplication(
  where: { readonly namespace: string; readonly name: string },
  asked: PutApplicationRequest,
): GitopsObject {
  const { group, version, kind } = gitopsResources.applications;
  const none = { apiVersion: `${group}/${version}`, kind, metadata: { ...where } };
  return withAsked(none, asked.resourceVersion === noVersion ? { ...asked, resourceVersion: undefined } : asked);
}

/** The resource version of an application that doesn't exist. */
const noVersion = "0";

/** Throws GITOPS_APPLICATION_CONFLICT. */
export function withAsked(there: GitopsObject, asked: PutApplicationRequest): GitopsObject {
  const { spec, labels, annotations, finalizers, resourceVersion } = asked;
  const { metadata } = there;
  if (resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion)
    throw gitopsErrors.GITOPS_APPLICATION_CONFLICT({ name: metadata.name });
  const carried = Object.entries(annotations ?? {}).filter(([name]) => !staysBehind(name));
  return {
    ...there,
    metadata: {
      ...metadata,
      ...(labels === undefined ? {} : { labels }),
      ...(annotations === undefined
        ? {}
        : { annotations: mergeAnnotations(Object.fromEntries(carried), metadata.annotations) }),
      ...(finalizers === undefined ? {} : { finalizers }),
    },
    spec,
  };
}

/** Throws GITOPS_OPERATION_RUNNING. */
export function withSync(there: GitopsObject, asked: SyncApplicationRequest, by: AskedBy): GitopsObject {
  const { revision, prune, dryRun } = asked;
  const sync = {
    ...(revision === undefined ? {} : { revision }),
    ...(prune === undefined ? {} : { prune }),
    ...(dryRun === undefined ? {} : { dryRun }),
    syncStrategy: { hook: {} },
  };
  return withOperation(there, sync, by);
}

/** Throws GITOPS_HISTORY_NOT_FOUND, GITOPS_ROLLBACK_AUTOMATED, GITOPS_OPERATION_RUNNING. */
export function withRollback(there: GitopsObject, asked: RollbackApplicationRequest, by: AskedBy): GitopsObject {
  const { id, prune = false } = asked;
  const { name } = there.metadata;
  const { automated } = syncPolicyOf(there);
  if (automated && automated.enabled !== false) throw gitopsErrors.GITOPS_ROLLBACK_AUTOMATED({ name });
  const history = recordAt(there, "status")["history"];
  const entries: readonly HistoryEntry[] = Array.isArray(history) ? history : [];
  const entry = entries.find((each) => (each.id ?? 0) === id);
  if (entry === undefined) throw gitopsErrors.GITOPS_HISTORY_NOT_FOUND({ name, id });
  const { revision, revisions, source, sources } = entry;
  return withOperation(there, { revision, revisions, source, sources, prune, syncStrategy: { apply: {} } }, by);
}

export function withRefresh(there: GitopsObject, isHard: boolean): GitopsObject {
  const annotations = { ...there.metadata.annotations, [refreshAnnotation]: isHard ? "hard" : "normal" };
  return { ...there, metadata: { ...there.metadata, annotations } };
}

/** Throws GITOPS_OPERATION_NONE. */
export function withTermination(there: GitopsObject): GitopsObject {
  const status = recordAt(there, "status");
  if (textAt(there, "status", "operationState", "phase") !== "Running")
    throw gitopsErrors.GITOPS_OPERATION_NONE({ name: there.metadata.name });
  const operationState = { ...(status["operationState"] as object), phase: "Terminating" };
  return { ...there, status: { ...status, operationState } };
}

function withOperation(there: GitopsObject, sync: object, { person, at }: AskedBy): GitopsObject {
  const phase = textAt(there, "status", "operationState", "phase");
  if (there["operation"] !== undefined || phase === "Running" || phase === "Terminating")
    throw gitopsErrors.GITOPS_OPERATION_RUNNING({ name: there.metadata.name });
  const { syncOptions } = syncPolicyOf(there);
  // The time makes it another request than the one before, which may have asked for the same.
  const info = [{ name: "Asked at:", value: at.toISOString() }];
  return {
    ...there,
    operation: { initiatedBy: { username: person }, info, sync: { ...sync, ...(syncOptions && { syncOptions }) } },
  };
}

/** An operation has options of its own: without the application's its namespace wouldn't be made, for one. */
function syncPolicyOf(there: GitopsObject): SyncPolicy {
  return (recordAt(there, "spec")["syncPolicy"] ?? {}) as SyncPolicy;
}

interface SyncPolicy {
  readonly automated?: { readonly enabled?: boolean } | null;
  readonly syncOptions?: readonly string[];
}

export interface AskedBy {
  readonly person: string;
  readonly at: Date;
}

interface HistoryEntry {
  readonly id?: number;
  readonly revision?: string;
  readonly revisions?: readonly string[];
  readonly source?: object;
  readonly sources?: readonly object[];
}

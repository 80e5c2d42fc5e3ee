// Reads the requests that people put into a cluster's applications on the hub: syncs, their ends, refreshes.
import { type Application, type OperationAction, readRequests } from "@fairlead/protocol";
import { type OperationRecord, readRequestedSync } from "./requested-operation.ts";

export interface SyncRequest {
  readonly action: OperationAction;
  /** Undefined: it gets a new one. */
  readonly id: string | undefined;
  readonly content: Readonly<Record<string, unknown>>;
}

export function listRequests(application: Application, record: OperationRecord, nowMs: number): SyncRequest[] {
  const { terminate, refresh } = readRequests(application);
  const sync = readRequestedSync(application, record, nowMs);
  const requests: SyncRequest[] = [];
  // While a run is being ended its operation is still there.
  if (sync !== undefined && terminate === undefined)
    requests.push({ action: "sync", id: sync.id, content: sync.operation });
  if (terminate !== undefined) requests.push({ action: "terminate", id: toTerminateId(terminate), content: terminate });
  // Argo CD leaves the other annotation, `hydrate`, where it has no hydrator.
  if (refresh?.refresh !== undefined) requests.push({ action: "refresh", id: undefined, content: { ...refresh } });
  return requests;
}

/** The same for the same run, no matter who asks and how often. */
function toTerminateId({ startedAt }: { readonly startedAt: string }): string {
  return `${String(Date.parse(startedAt) || 0).padStart(14, "0")}-terminate`;
}

// A span for each sync that was asked for on the hub, from its start in the cluster to its end, as the cluster tells it. The
// agent's span of the same operation has the same parent.
import type { Tracer } from "@fairlead/kernel/tracing";
import { type Application, readOperationId } from "@fairlead/protocol";

export interface SyncTraces {
  /** What had ended before isn't told again. */
  listed(application: Application): void;
  changed(application: Application): void;
  forget(uid: string): void;
}

export function createSyncTraces(tracer: Tracer, cluster: string): SyncTraces {
  /** The id of the last sync that was told, by the application's uid. */
  const told = new Map<string, string>();
  return {
    listed(application) {
      const ended = readEndedSync(application);
      if (ended) told.set(ended.uid, ended.id);
    },

    changed(application) {
      const ended = readEndedSync(application);
      if (ended === undefined || told.get(ended.uid) === ended.id) return;
      told.set(ended.uid, ended.id);
      const { id, phase, startedMs, endedMs } = ended;
      const { namespace, name } = application.metadata;
      const span = tracer.startSpan({
        name: "sync",
        parent: tracer.parentOf(id),
        startedMs,
        attributes: {
          "k8s.cluster.name": cluster,
          "argocd.application": `${namespace}/${name}`,
          "argocd.operation.phase": phase,
          "fairlead.operation.id": id,
        },
      });
      span.end({ endedMs, errorCode: phase === "Succeeded" ? undefined : phase });
    },

    forget: (uid) => void told.delete(uid),
  };
}

interface EndedSync {
  readonly uid: string;
  readonly id: string;
  readonly phase: string;
  readonly startedMs: number;
  readonly endedMs: number;
}

/** Undefined where nothing has ended, or nobody asked for it on the hub. */
function readEndedSync({ metadata: { uid = "" }, status }: Application): EndedSync | undefined {
  const state = status?.operationState;
  const id = readOperationId(state?.["operation"]);
  const endedMs = Date.parse(String(state?.["finishedAt"]));
  const startedMs = Date.parse(String(state?.startedAt));
  const { phase = "" } = state ?? {};
  const hasEnded = ["Succeeded", "Failed", "Error"].includes(phase);
  if (!hasEnded || id === undefined || Number.isNaN(startedMs) || Number.isNaN(endedMs)) return undefined;
  return { uid, id, phase, startedMs, endedMs: Math.max(startedMs, endedMs) };
}

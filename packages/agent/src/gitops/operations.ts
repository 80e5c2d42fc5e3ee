// Starts what the hub hands over, once each: the id is written together with what starts it.
import type { Tracer } from "@fairlead/kernel/tracing";
import type { Application, GitopsObject, Operation, OperationOutcome, OperationResult } from "@fairlead/protocol";
import { type ClusterWriter, toRefusal } from "./cluster-writer.ts";
import { startOperation } from "./start-operation.ts";
import type { GitopsLog } from "./types.ts";

export function createOperations(options: {
  readonly find: (uid: string) => GitopsObject | undefined;
  readonly writer: Pick<ClusterWriter, "replace">;
  readonly log: GitopsLog;
  readonly tracer?: Tracer | undefined;
}): (operation: Operation) => Promise<OperationResult> {
  const { find, writer, log, tracer } = options;
  return async (operation) => {
    const { id, uid, action, name } = operation;
    const span = tracer?.startSpan({
      name: `start ${action}`,
      kind: "consumer",
      parent: tracer.parentOf(id),
      attributes: { "fairlead.operation.id": id, "argocd.application": name },
    });
    const outcome = await start(operation).catch((error: unknown): OperationOutcome => {
      log.warn({ err: error, application: name, action }, "an operation can't be started now");
      return { outcome: "refused", ...toRefusal(error) };
    });
    const errorCode = outcome.outcome === "refused" ? outcome.reason : undefined;
    span?.end({ attributes: { "fairlead.operation.outcome": outcome.outcome }, errorCode });
    log.info({ application: name, action, id, outcome: outcome.outcome }, "the hub asked for an operation");
    return { id, uid, action, ...outcome };
  };

  async function start(operation: Operation): Promise<OperationOutcome> {
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const there = find(operation.uid) as Application | undefined;
      if (there === undefined) return { outcome: "refused", ...missing };
      const begun = startOperation(operation, there);
      if (begun.is === "settled") return begun.outcome;
      const result = await writer.replace(begun.object);
      if (result.is === "written") return { outcome: "started" };
      if (result.is !== "conflict") return { outcome: "refused", ...result.refusal };
    }
    return { outcome: "refused", ...contended };
  }
}

const maxAttempts = 5;
const missing = {
  reason: "unavailable",
  message: "The application doesn't exist in the cluster, or not yet.",
  retryAfterMs: 2_000,
} as const;
const contended = {
  reason: "unavailable",
  message: `Other clients changed the application during ${maxAttempts} attempts.`,
  retryAfterMs: 200,
} as const;

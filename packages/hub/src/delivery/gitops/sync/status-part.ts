// Applies a status part of the cluster to the hub's application. Pure.
import {
  type Application,
  hydrateAnnotation,
  type OperationAction,
  refreshAnnotation,
  type StatusPart,
  withMirrorMark,
} from "@fairlead/protocol";

/**
 * `pending` are the actions that were asked for here and that the cluster hasn't answered: what asks for them stays. All
 * else becomes what the cluster says.
 */
export function applyStatusPart(
  application: Application,
  part: StatusPart,
  pending: ReadonlySet<OperationAction>,
): Application {
  const { operation: asked, status: before, metadata, ...rest } = application;
  const operation = pending.has("sync") ? asked : part.operation && withMirrorMark(part.operation);
  const kept = metadata.annotations;
  return {
    ...rest,
    apiVersion: application.apiVersion,
    kind: application.kind,
    spec: application.spec,
    metadata: {
      ...metadata,
      annotations: pending.has("refresh") ? { ...kept } : withRefresh(kept, part.refresh),
    },
    status: pending.has("terminate") ? keepTerminating(part.status, before) : part.status,
    ...(operation !== undefined && { operation }),
  };
}

function withRefresh(annotations: Readonly<Record<string, string>> = {}, { refresh, hydrate }: StatusPart["refresh"]) {
  const { [refreshAnnotation]: _refresh, [hydrateAnnotation]: _hydrate, ...rest } = annotations;
  return {
    ...rest,
    ...(refresh !== undefined && { [refreshAnnotation]: refresh }),
    ...(hydrate !== undefined && { [hydrateAnnotation]: hydrate }),
  };
}

/** The cluster still runs what is to be ended here: Terminating stays, as long as it is the same run. */
function keepTerminating(status: StatusPart["status"], before: Application["status"]): StatusPart["status"] {
  const { operationState } = status;
  const wanted = before?.operationState;
  const isSameRun = operationState?.startedAt === wanted?.startedAt && operationState?.phase === "Running";
  if (operationState === undefined || wanted?.phase !== "Terminating" || !isSameRun) return status;
  return { ...status, operationState: { ...operationState, phase: "Terminating" } };
}

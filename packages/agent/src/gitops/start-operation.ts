// Puts a sync, the end of one, or a refresh into an application. Pure; the write is under its resourceVersion.
import {
  type Application,
  hydrateAnnotation,
  judgeOperation,
  type Operation,
  type OperationAction,
  type OperationOutcome,
  operationAnnotation,
  parseContent,
  type RefreshRequest,
  type ReplicaRefusal,
  readOperationId,
  refreshAnnotation,
  withOperationId,
} from "@fairlead/protocol";

export type OperationStart =
  | { readonly is: "write"; readonly object: Application }
  | { readonly is: "settled"; readonly outcome: OperationOutcome };

export function startOperation(operation: Operation, there: Application): OperationStart {
  const { id, action } = operation;
  const judgement = judgeOperation(id, lastIdOf(action, there));
  if (judgement !== "start") return { is: "settled", outcome: { outcome: judgement } };
  switch (action) {
    case "sync":
      return startSync(operation, there);
    case "terminate":
      return terminate(operation, there);
    case "refresh":
      return refresh(operation, there);
    default:
      return action satisfies never;
  }
}

/** Others may strip the annotation, and Argo CD drops the last run's state when somebody syncs by hand. */
function lastIdOf(action: OperationAction, { metadata, operation, status }: Application): string | undefined {
  const noted = metadata.annotations?.[operationAnnotation(action)];
  if (action !== "sync") return noted;
  const run = status?.operationState?.["operation"];
  const known = [noted, readOperationId(operation), readOperationId(run)].filter((id) => id !== undefined);
  return known.sort().at(-1);
}

function startSync(operation: Operation, there: Application): OperationStart {
  const asked = parseContent<NonNullable<Application["operation"]>>(operation);
  // An equal one under another id is another request, which may have been made after this one read its revision.
  if (there.operation !== undefined) return refuse(busy);
  if (there.metadata.deletionTimestamp !== undefined) return refuse(going);
  const { operationState: _last, ...status } = there.status ?? {};
  const object = {
    ...there,
    operation: withOperationId(asked, operation.id),
    ...(there.status !== undefined && { status }),
  };
  return write(operation, object);
}

/** Only the run that was meant. */
function terminate(operation: Operation, there: Application): OperationStart {
  const { startedAt } = parseContent<{ readonly startedAt?: string }>(operation);
  const state = there.status?.operationState;
  const isMeant = state?.startedAt === startedAt && state?.phase === "Running" && there.operation !== undefined;
  if (!isMeant) return { is: "settled", outcome: { outcome: "superseded" } };
  const status = { ...there.status, operationState: { ...state, phase: "Terminating" } };
  return write(operation, { ...there, status });
}

function refresh(operation: Operation, there: Application): OperationStart {
  const { refresh: how, hydrate } = parseContent<RefreshRequest>(operation);
  return write(operation, there, {
    ...(how !== undefined && { [refreshAnnotation]: how }),
    ...(hydrate !== undefined && { [hydrateAnnotation]: hydrate }),
  });
}

function write(
  { id, action }: Operation,
  object: Application,
  more: Readonly<Record<string, string>> = {},
): OperationStart {
  const annotations = { ...object.metadata.annotations, ...more, [operationAnnotation(action)]: id };
  return { is: "write", object: { ...object, metadata: { ...object.metadata, annotations } } };
}

function refuse(refusal: ReplicaRefusal): OperationStart {
  return { is: "settled", outcome: { outcome: "refused", ...refusal } };
}

const busy: ReplicaRefusal = {
  reason: "unavailable",
  message: "Another operation is in progress in the cluster.",
  retryAfterMs: 1_000,
};
const going: ReplicaRefusal = {
  reason: "failed",
  message: "The application is being deleted in the cluster.",
  retryAfterMs: 0,
};

// An operation on the hub's object came from a person or from the cluster: both are `.operation`. The object itself tells
// which, in the operation: the hub marks those that the cluster has, and gives a person's request an id before it is handed
// over. So what the hub knows of it may be put back to a backup, and two equal requests are two. Pure.
import { type Application, hashOfOperation, isMirrored, isOperationId, readOperationId } from "@fairlead/protocol";
import type { FailedSync } from "./failed-sync.ts";

type Operation = NonNullable<Application["operation"]>;

/** What the hub knows of the operations of an application, apart from the application itself. */
export interface OperationRecord {
  /** The highest id that a request was given. */
  readonly lastId?: string;
  /** The request under `lastId`, while the hub's object has it. */
  readonly operation?: KnownOperation;
  /** A request that the cluster didn't carry out. */
  readonly failure?: FailedSync;
}

export interface KnownOperation {
  /** `requested`: the cluster hasn't answered it. */
  readonly is: "requested" | "handed-over";
}

export interface RequestedSync {
  readonly operation: Operation;
  /** Undefined: it wasn't given one. */
  readonly id: string | undefined;
}

/** Undefined when nothing is asked for: there is no operation, or the cluster has it, or had it. */
export function readRequestedSync(
  application: Application,
  record: OperationRecord,
  nowMs: number,
): RequestedSync | undefined {
  const { operation } = application;
  if (operation === undefined || isMirrored(operation)) return undefined;
  const id = readOperationId(operation);
  if (id === undefined) return isRunning(application) ? undefined : { operation, id };
  if (isNoted(record, id)) return { operation, id };
  if (record.lastId !== undefined && id <= record.lastId) return undefined;
  // Whoever asks for a sync can write its info, and no id of theirs may be higher than all that follow.
  return { operation, id: isOperationId(id, nowMs) ? id : undefined };
}

/** It was handed over before, and is there again: somebody wrote an old object, or asks for an operation that ran. */
export function isOutdated({ operation }: Application, { lastId, operation: known }: OperationRecord): boolean {
  const id = isMirrored(operation) ? undefined : readOperationId(operation);
  if (id === undefined || lastId === undefined) return false;
  return id < lastId || (id === lastId && known === undefined);
}

/** Only a noted request is handed over: its answer is for the record. */
export function isNoted({ lastId, operation }: OperationRecord, id: string): boolean {
  return lastId === id && operation?.is === "requested";
}

/** The request has this id. What became of an earlier one doesn't matter any more. */
export function toRequested(id: string): OperationRecord {
  return { lastId: id, operation: { is: "requested" } };
}

/** The cluster has answered the request with this id. */
export function toHandedOver(record: OperationRecord, id: string): OperationRecord {
  return isNoted(record, id) ? { ...record, operation: { is: "handed-over" } } : record;
}

/** The hub's object has no operation. */
export function toIdle({ operation: _, ...rest }: OperationRecord): OperationRecord {
  return rest;
}

/** The status is the cluster's, so what it shows as running isn't to be started. */
function isRunning({ operation, status }: Application): boolean {
  const state = status?.operationState;
  if (state?.phase !== "Running" && state?.phase !== "Terminating") return false;
  return hashOfOperation(state["operation"]) === hashOfOperation(operation);
}

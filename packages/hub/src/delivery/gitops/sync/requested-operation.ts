// An operation on the hub's object came from a person or from the cluster: both are `.operation`. The hub's record of the
// application tells which, and keeps the id of a person's request from before it is handed over until it is over. Pure.
import { type Application, hashOfOperation, readOperationId } from "@fairlead/protocol";
import type { FailedSync } from "./failed-sync.ts";

type Operation = NonNullable<Application["operation"]>;

/** What the hub knows of the operations of an application, apart from the application itself. */
export interface OperationRecord {
  /** The highest id that a request was given. */
  readonly lastId?: string;
  /** The operation that the hub's object has. */
  readonly operation?: KnownOperation;
  /** A request that the cluster didn't carry out. */
  readonly failure?: FailedSync;
}

export interface KnownOperation {
  /** `requested`: a person's, under `lastId`, that the cluster hasn't answered. `mirrored`: the cluster began it itself. */
  readonly is: "requested" | "handed-over" | "mirrored";
  readonly hash: string;
}

export interface RequestedSync {
  readonly operation: Operation;
  /** Undefined: it wasn't given one. */
  readonly id: string | undefined;
}

/** Undefined when nothing is asked for: there is no operation, or it is the cluster's, or it was handed over. */
export function readRequestedSync(application: Application, record: OperationRecord): RequestedSync | undefined {
  const { operation } = application;
  if (operation === undefined || readOperationId(operation) !== undefined) return undefined;
  const known = record.operation;
  if (known?.hash === hashOfOperation(operation))
    return known.is === "requested" ? { operation, id: record.lastId } : undefined;
  return isRunning(application) ? undefined : { operation, id: undefined };
}

/** The operation becomes a person's request. What became of an earlier one doesn't matter any more. */
export function toRequested(id: string, operation: Operation): OperationRecord {
  return { lastId: id, operation: { is: "requested", hash: hashOfOperation(operation) } };
}

/** The cluster has answered the request with this id. */
export function toHandedOver(record: OperationRecord, id: string): OperationRecord {
  const { operation, lastId } = record;
  if (operation?.is !== "requested" || lastId !== id) return record;
  return { ...record, operation: { ...operation, is: "handed-over" } };
}

/** For an operation that the hub's object is about to have from the cluster. One with an id tells that itself. */
export function toMirrored(record: OperationRecord, operation: Operation | undefined): OperationRecord {
  if (operation === undefined || readOperationId(operation) !== undefined) return record;
  const hash = hashOfOperation(operation);
  return record.operation?.hash === hash ? record : { ...record, operation: { is: "mirrored", hash } };
}

/** The hub's object has no operation. */
export function toIdle({ operation: _, ...rest }: OperationRecord): OperationRecord {
  return rest;
}

/** The status is the cluster's, so what it shows as running isn't to be started: for a hub whose record was lost. */
function isRunning({ operation, status }: Application): boolean {
  const state = status?.operationState;
  if (state?.phase !== "Running" && state?.phase !== "Terminating") return false;
  return hashOfOperation(state["operation"]) === hashOfOperation(operation);
}

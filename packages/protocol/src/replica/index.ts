// Replication of objects in one direction, as a machine without transport, store or clock of its own.
export { type ComparedSet, Comparison } from "./comparison.ts";
export {
  isOperationId,
  judgeOperation,
  nextOperationId,
  OperationSource,
  type OperationSourceOptions,
  operationAnnotation,
} from "./operations.ts";
export { ReplicaSource, type ReplicaSourceOptions } from "./source.ts";
export type { ReplicaSourceStatus } from "./source-status.ts";
export { type ReplicaChange, ReplicaTarget, type ReplicaTargetOptions } from "./target.ts";
export {
  type Departure,
  driftedVersion,
  type HeldEntry,
  type Operation,
  type OperationAction,
  type OperationOutcome,
  type OperationResult,
  operationActions,
  type RefusalReason,
  type ReplicaContent,
  type ReplicaRefusal,
  refusalReasons,
  type SourceMessage,
  type TargetMessage,
} from "./types.ts";

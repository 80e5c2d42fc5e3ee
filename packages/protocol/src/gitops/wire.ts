// Between the messages of the machine and those of the wire.
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { type ReplicaMessage, ReplicaMessageSchema } from "../gen/fairlead/gitops/v1/gitops_pb.ts";
import {
  type Operation,
  type OperationResult,
  operationActions,
  type ReplicaRefusal,
  refusalReasons,
  type SourceMessage,
  type TargetMessage,
} from "../replica/index.ts";

/** A message of an end of a flow, addressed to an end of the other side. */
export type FlowMessage =
  | { readonly to: "target"; readonly message: SourceMessage }
  | { readonly to: "source"; readonly message: TargetMessage }
  | { readonly to: "operations"; readonly operation: Operation }
  | { readonly to: "results"; readonly result: OperationResult };

export function toWire(flow: string, said: FlowMessage): ReplicaMessage {
  return create(ReplicaMessageSchema, { flow, message: toOneof(said) });
}

/** Undefined for what a newer peer says and this side doesn't know. */
export function fromWire({ message }: ReplicaMessage): FlowMessage | undefined {
  switch (message.case) {
    case "compare": {
      const { comparison, bucketCount } = message.value;
      return toTarget({ type: "compare", comparison, bucketCount });
    }
    case "listBuckets": {
      const { comparison, buckets } = message.value;
      return toTarget({ type: "listBuckets", comparison, buckets });
    }
    case "entry": {
      const { uid, generation, version, name, contentJson } = message.value;
      return toTarget({ type: "entry", uid, generation: Number(generation), version, name, contentJson });
    }
    case "absent": {
      const { uid, generation, departure } = message.value;
      const { finalizers, isWithdrawn } = departure ?? {};
      const how = finalizers && { departure: { finalizers, isWithdrawn: isWithdrawn === true } };
      return toTarget({ type: "absent", uid, generation: Number(generation), ...how });
    }
    case "digests": {
      const { comparison, digests } = message.value;
      return toSource({ type: "digests", comparison, digests });
    }
    case "bucketEntries": {
      const { comparison, bucket, entries } = message.value;
      return toSource({ type: "bucketEntries", comparison, bucket, entries });
    }
    case "acknowledgement": {
      const { uid, generation } = message.value;
      return toSource({ type: "acknowledgement", uid, generation: Number(generation) });
    }
    case "refusal": {
      const { uid, generation } = message.value;
      return toSource({ type: "refusal", uid, generation: Number(generation), ...readRefusal(message.value) });
    }
    case "question":
      return toSource({ type: "question", uid: message.value.uid, name: message.value.name });
    case "operation": {
      const { id, uid, name, contentJson } = message.value;
      const action = operationActions.find((known) => known === message.value.action);
      return action && { to: "operations", operation: { id, uid, name, action, contentJson } };
    }
    case "operationResult": {
      const { id, uid } = message.value;
      const action = operationActions.find((known) => known === message.value.action);
      const outcome = outcomes.find((known) => known === message.value.outcome);
      if (action === undefined) return undefined;
      if (outcome !== undefined) return { to: "results", result: { id, uid, action, outcome } };
      return { to: "results", result: { id, uid, action, outcome: "refused", ...readRefusal(message.value) } };
    }
    case undefined:
      return undefined;
    default:
      return message satisfies never;
  }
}

type Oneof = NonNullable<MessageInitShape<typeof ReplicaMessageSchema>["message"]>;

function toOneof(said: FlowMessage): Oneof {
  switch (said.to) {
    case "target":
      return sourceOneof(said.message);
    case "source":
      return targetOneof(said.message);
    case "operations":
      return { case: "operation", value: said.operation };
    case "results":
      return { case: "operationResult", value: said.result };
    default:
      return said satisfies never;
  }
}

function sourceOneof(message: SourceMessage): Oneof {
  switch (message.type) {
    case "compare":
      return { case: "compare", value: { comparison: message.comparison, bucketCount: message.bucketCount } };
    case "listBuckets":
      return { case: "listBuckets", value: { comparison: message.comparison, buckets: [...message.buckets] } };
    case "entry": {
      const { uid, generation, version, name, contentJson } = message;
      const bytes = Uint8Array.from(contentJson);
      return { case: "entry", value: { uid, generation: BigInt(generation), version, name, contentJson: bytes } };
    }
    case "absent": {
      const { uid, generation, departure } = message;
      const how = departure && { departure: { ...departure, finalizers: [...departure.finalizers] } };
      return { case: "absent", value: { uid, generation: BigInt(generation), ...how } };
    }
    default:
      return message satisfies never;
  }
}

function targetOneof(message: TargetMessage): Oneof {
  switch (message.type) {
    case "digests":
      return { case: "digests", value: { comparison: message.comparison, digests: [...message.digests] } };
    case "bucketEntries": {
      const { comparison, bucket, entries } = message;
      return { case: "bucketEntries", value: { comparison, bucket, entries: [...entries] } };
    }
    case "acknowledgement":
      return { case: "acknowledgement", value: { uid: message.uid, generation: BigInt(message.generation) } };
    case "refusal": {
      const { uid, generation, reason, message: text, retryAfterMs } = message;
      return { case: "refusal", value: { uid, generation: BigInt(generation), reason, message: text, retryAfterMs } };
    }
    case "question":
      return { case: "question", value: { uid: message.uid, name: message.name } };
    default:
      return message satisfies never;
  }
}

function toTarget(message: SourceMessage): FlowMessage {
  return { to: "target", message };
}

function toSource(message: TargetMessage): FlowMessage {
  return { to: "source", message };
}

function readRefusal({ reason, message, retryAfterMs }: WireRefusal): ReplicaRefusal {
  return { reason: refusalReasons.find((known) => known === reason) ?? "failed", message, retryAfterMs };
}

interface WireRefusal {
  readonly reason: string;
  readonly message: string;
  readonly retryAfterMs: number;
}

const outcomes = ["started", "repeated", "superseded"] as const;

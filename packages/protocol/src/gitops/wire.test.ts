import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { type ReplicaMessage, ReplicaMessageSchema } from "../gen/fairlead/gitops/v1/gitops_pb.ts";
import { readStamps, toStampAnnotations } from "./stamps.ts";
import { type FlowMessage, fromWire, toWire } from "./wire.ts";

const contentJson = Uint8Array.from([123, 125]);
const refusal = { reason: "quota", message: "no room", retryAfterMs: 5 } as const;
const said: readonly FlowMessage[] = [
  { to: "target", message: { type: "compare", comparison: 1, bucketCount: 4 } },
  { to: "target", message: { type: "listBuckets", comparison: 1, buckets: [0, 3] } },
  { to: "target", message: { type: "entry", uid: "a", generation: 7, version: 2n ** 63n, name: "n/a", contentJson } },
  { to: "target", message: { type: "absent", uid: "a", generation: 8 } },
  {
    to: "target",
    message: { type: "absent", uid: "a", generation: 8, departure: { finalizers: ["f"], isWithdrawn: true } },
  },
  { to: "source", message: { type: "digests", comparison: 1, digests: [0n, 2n ** 64n - 1n] } },
  { to: "source", message: { type: "acknowledgement", uid: "a", generation: 7 } },
  { to: "source", message: { type: "refusal", uid: "a", generation: 7, ...refusal } },
  { to: "source", message: { type: "question", uid: "a", name: "n/a" } },
  { to: "operations", operation: { id: "1", uid: "a", name: "n/a", action: "sync", contentJson } },
  { to: "results", result: { id: "1", uid: "a", action: "sync", outcome: "started" } },
  { to: "results", result: { id: "1", uid: "a", action: "refresh", outcome: "refused", ...refusal } },
];

test.each(said.map((one) => [one.to, one] as const))("what is said to the %s arrives as it was said", (_to, one) => {
  expect(fromWire(pass(toWire("applications", one)))).toEqual(one);
});

test("a bucket's entries arrive as they were said", () => {
  const entries = [{ uid: "a", version: 0n, name: "n/a" }];
  const message = { type: "bucketEntries", comparison: 1, bucket: 3, entries } as const;
  expect(fromWire(pass(toWire("projects", { to: "source", message })))).toMatchObject({ message });
});

test("what a newer peer says is ignored, and its new reasons are read as failed", () => {
  expect(fromWire(create(ReplicaMessageSchema, { flow: "x" }))).toBeUndefined();
  const value = { uid: "a", generation: 1n, reason: "moon", message: "full", retryAfterMs: 0 };
  const unknown = create(ReplicaMessageSchema, { flow: "x", message: { case: "refusal", value } });
  expect(fromWire(unknown)).toMatchObject({ message: { reason: "failed", message: "full" } });
});

test("stamps are read as they were written; a spoilt one differs from every version", () => {
  const stamps = { sourceUid: "u1", hubUid: "h1", version: 2n ** 64n - 1n, writtenHash: 5n };
  expect(readStamps({ annotations: toStampAnnotations(stamps) })).toEqual(stamps);
  expect(readStamps({ annotations: {} })).toBeUndefined();
  const spoilt = { ...toStampAnnotations(stamps), "fairlead.dev/source-version": "x" };
  expect(readStamps({ annotations: spoilt })?.version).toBe(0n);
});

function pass(message: ReplicaMessage): ReplicaMessage {
  return fromBinary(ReplicaMessageSchema, toBinary(ReplicaMessageSchema, message));
}

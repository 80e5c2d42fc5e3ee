import { OperationSource, ReplicaSource } from "@fairlead/protocol";
import { expect, test } from "vitest";
import { describeFlows } from "./describe-flows.ts";

const common = { onWork: () => undefined, now: () => 90_500, random: () => 0 };

test("of a thousand objects that a cluster refuses at length a hundred are shown, in short, and all are counted", () => {
  const source = new ReplicaSource({
    ...common,
    maxUnackedEntries: 1_000,
    maxUnackedBytes: 1_000_000,
    maxEntryBytes: 1_000,
    load: (uid) => ({ version: 1n, name: `east/${uid}`, contentJson: Buffer.from("{}") }),
    onUnsure: () => undefined,
  });
  source.list(Array.from({ length: 1_000 }, (_, index): [string, bigint] => [`uid-${index}`, 1n]));
  source.connect();
  answerWithNothing(source);
  const refusal = { reason: "webhook", message: "no ".repeat(10_000), retryAfterMs: 60_000 } as const;
  for (let message = source.take(); message !== undefined; message = source.take())
    if (message.type === "entry")
      source.receive({ type: "refusal", uid: message.uid, generation: message.generation, ...refusal });
  const [flow] = describeFlows(endsOf(source), 90_500);
  expect(flow).toMatchObject({
    flow: "applications",
    state: "open",
    objects: 1_000,
    dirty: 1_000,
    refusedCount: 1_000,
  });
  expect(flow?.oldestChangeAt).toBe("1970-01-01T00:01:30.000Z");
  expect(flow?.refused).toHaveLength(100);
  expect(flow?.refused[0]).toEqual({ object: "east/uid-0", reason: "webhook", message: refusal.message.slice(0, 500) });
});

function answerWithNothing(source: ReplicaSource): void {
  for (let message = source.take(); message !== undefined; message = source.take()) {
    if (message.type === "compare")
      source.receive({ ...message, type: "digests", digests: Array.from({ length: message.bucketCount }, () => 0n) });
    else if (message.type === "listBuckets") {
      for (const bucket of message.buckets)
        source.receive({ type: "bucketEntries", comparison: message.comparison, bucket, entries: [] });
      return;
    }
  }
}

function endsOf(source: ReplicaSource): Parameters<typeof describeFlows>[0] {
  return {
    sources: new Map([["applications", source]]),
    targets: new Map(),
    nameOf: (uid) => `east/${uid}`,
    operations: new OperationSource({ ...common, isReady: () => true, onSettled: () => undefined }),
    untilRoom: async () => undefined,
    run: async () => undefined,
  };
}

import fc from "fast-check";
import { expect, test } from "vitest";
import { bucketOf } from "../inventory.ts";
import { type ComparedSet, Comparison } from "./comparison.ts";
import { digestBuckets } from "./digests.ts";

type Versions = ReadonlyMap<string, bigint>;

const versions = fc
  .array(fc.tuple(fc.integer({ min: 0, max: 300 }), fc.bigInt({ min: 1n, max: 4n })), { maxLength: 200 })
  .map((pairs): Versions => new Map(pairs.map(([uid, version]) => [`uid-${uid}`, version])));

test("a comparison finds just the buckets in which two sets differ, and asks for each of them once", () => {
  fc.assert(
    fc.property(versions, versions, fc.constantFrom(1, 2, 64, 4096), (ours, theirs, bucketCount) => {
      const differing = new Set(
        [...ours.keys(), ...theirs.keys()]
          .filter((uid) => ours.get(uid) !== theirs.get(uid))
          .map((uid) => bucketOf(uid, bucketCount)),
      );
      const comparison = new Comparison(toSet(ours), bucketCount);
      const equal = comparison.takeDigests(digestBuckets(theirs, bucketCount)) ?? [];
      expect(equal).toHaveLength(bucketCount - differing.size);
      const asked: number[] = [];
      for (let some = comparison.askBuckets(); some !== undefined; some = comparison.askBuckets()) {
        expect(some.length).toBeLessThanOrEqual(1_024);
        for (const bucket of some) {
          expect(comparison.askBuckets()).toBeUndefined();
          const uids = [...ours.keys()].filter((uid) => bucketOf(uid, bucketCount) === bucket);
          expect(comparison.takeBucket(bucket)).toEqual(uids);
        }
        asked.push(...some);
      }
      expect(asked.toSorted()).toEqual([...differing].toSorted());
      expect(comparison.state).toBe("over");
    }),
  );
});

test("answers that nobody asked for change nothing", () => {
  const comparison = new Comparison(toSet(new Map([["a", 1n]])), 1);
  expect(comparison.takeBucket(0)).toBeUndefined();
  expect(comparison.askBuckets()).toBeUndefined();
  comparison.skipDigests();
  expect(comparison.takeDigests([0n])).toBeUndefined();
  expect(comparison.askBuckets()).toEqual([0]);
  expect(comparison.takeBucket(7)).toBeUndefined();
  expect(comparison.takeBucket(0)).toEqual(["a"]);
  expect(comparison.takeBucket(0)).toBeUndefined();
  expect(comparison.askBuckets()).toBeUndefined();
  expect(comparison.state).toBe("over");
});

test("digests that are missing count as those of empty buckets", () => {
  const comparison = new Comparison(toSet(new Map([["a", 1n]])), 4);
  const bucket = bucketOf("a", 4);
  expect(comparison.takeDigests([])).toEqual([0, 1, 2, 3].filter((each) => each !== bucket));
  expect(comparison.askBuckets()).toEqual([bucket]);
});

function toSet(objects: Versions): ComparedSet {
  return {
    digests: (bucketCount) => digestBuckets(objects, bucketCount),
    uidsIn(buckets, bucketCount) {
      const uids = new Map<number, string[]>(buckets.map((bucket) => [bucket, []]));
      for (const uid of objects.keys()) uids.get(bucketOf(uid, bucketCount))?.push(uid);
      return uids;
    },
  };
}

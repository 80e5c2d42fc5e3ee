import { bucketOf } from "@fairlead/protocol";
import fc from "fast-check";
import { expect, test } from "vitest";
import { KindSet } from "./kind-set.ts";

const entry = fc.record({
  uid: fc.integer({ min: 0, max: 60 }).map((number) => `uid-${number}`),
  version: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
  isGone: fc.boolean(),
});

test("its digests are those of what it holds, whatever came and went", () => {
  fc.assert(
    fc.property(fc.array(entry, { maxLength: 200 }), fc.constantFrom(1, 4, 32), (entries, bucketCount) => {
      const set = new KindSet();
      const plain = new Map<string, bigint>();
      for (const { uid, version, isGone } of entries) {
        if (isGone) expect(set.remove(uid)).toBe(plain.delete(uid));
        else expect(set.put({ uid, namespace: "n", name: uid, version })).toBe(plain.get(uid) !== version);
        if (!isGone) plain.set(uid, version);
      }
      const digests = new BigUint64Array(bucketCount);
      const uids = Array.from({ length: bucketCount }, (): string[] => []);
      for (const [uid, version] of plain) {
        const bucket = bucketOf(uid, bucketCount);
        digests[bucket] = (digests[bucket] as bigint) ^ version;
        uids[bucket]?.push(uid);
      }
      expect(set.size).toBe(plain.size);
      expect(set.digests(bucketCount)).toEqual(digests);
      expect(set.digest).toBe(digests.reduce((sum, digest) => sum ^ digest, 0n));
      const buckets = [...uids.keys()];
      const found = set.uidsIn(buckets, bucketCount);
      for (const bucket of buckets) expect(found.get(bucket)?.sort()).toEqual(uids[bucket]?.sort());
    }),
  );
});

test("a whole list removes what it didn't name, a list that was broken off nothing", () => {
  const set = new KindSet();
  const put = (uid: string): boolean => set.put({ uid, namespace: "default", name: `name-${uid}`, version: 1n });
  for (const uid of ["a", "b", "c"]) put(uid);
  set.beginList();
  put("a");
  set.beginList();
  put("b");
  put("d");
  expect(set.endList().sort()).toEqual(["a", "c"]);
  expect([...set.uids()].sort()).toEqual(["b", "d"]);
  expect(set.refOf("d")).toEqual({ uid: "d", namespace: "default", name: "name-d" });
  expect(set.refOf("a")).toBeUndefined();
});

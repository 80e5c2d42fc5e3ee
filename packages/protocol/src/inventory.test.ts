import { ConnectError } from "@connectrpc/connect";
import { expect, test } from "vitest";
import {
  bucketOf,
  chooseBucketCount,
  formatInventoryRefusal,
  hashUid,
  parseInventoryRefusal,
  toVersion,
} from "./inventory.ts";

test("a uid's hash is FNV-1a with 32 bits", () => {
  // From the reference vectors of the algorithm's authors.
  expect(hashUid("")).toBe(0x811c9dc5);
  expect(hashUid("a")).toBe(0xe40c292c);
  expect(hashUid("foobar")).toBe(0xbf9cf968);
  // UTF-8 of "é" is c3 a9.
  expect(hashUid("é")).toBe(Math.imul(Math.imul(0x811c9dc5 ^ 0xc3, 0x01000193) ^ 0xa9, 0x01000193) >>> 0);
});

test("a bucket is the low bits of the hash", () => {
  expect(bucketOf("foobar", 1)).toBe(0);
  expect(bucketOf("foobar", 256)).toBe(0x68);
  expect(bucketOf("foobar", 65_536)).toBe(0xf968);
});

test("the count of buckets is a power of two near a 64th of the objects, within its bounds", () => {
  expect([0, 1, 64, 95, 128, 50_000, 500_000, 1e9].map(chooseBucketCount)).toEqual([1, 1, 1, 2, 2, 1024, 8192, 65_536]);
});

test("a version is the head of the SHA-256", () => {
  expect(toVersion(new TextEncoder().encode("abc"))).toBe(0xba7816bf8f01cfean);
});

test("a refusal keeps its code, and nothing else is taken for one", () => {
  const error = formatInventoryRefusal("INVENTORY_NOT_LEADER", "another one leads");
  expect(parseInventoryRefusal(error)).toBe("INVENTORY_NOT_LEADER");
  expect(error.rawMessage).toBe("INVENTORY_NOT_LEADER: another one leads");
  expect(parseInventoryRefusal(new ConnectError("INTERNAL: x"))).toBeUndefined();
  expect(parseInventoryRefusal(new Error("x"))).toBeUndefined();
});

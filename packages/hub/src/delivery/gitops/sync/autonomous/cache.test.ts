import { type GitopsObject, readStamps } from "@fairlead/protocol";
import { beforeEach, expect, test } from "vitest";
import { MirrorCache } from "./cache.ts";

let cache: MirrorCache;
beforeEach(() => {
  cache = new MirrorCache({ readSource: ({ metadata }) => readStamps(metadata)?.sourceUid });
});

test("what is known already, is older or has gone since changes nothing", () => {
  cache.take(object("h-1", 5));
  for (const version of [4, 5]) expect(cache.isPast(object("h-1", version))).toBe(true);
  expect(cache.isPast(object("h-1", 6))).toBe(false);
  expect(cache.isPast(object("h-0", 3))).toBe(true);
  cache.drop(object("h-1", 6));
  expect(cache.isPast(object("h-1", 6))).toBe(true);
  cache.revive(object("h-1", 7));
  expect(cache.isPast(object("h-1", 7))).toBe(false);
});

test("a mirror stays one whose stamps are taken off or changed, and another under its name is none", () => {
  cache.take(object("h-1", 1, "c-1"));
  cache.take(object("h-1", 2));
  cache.take(object("h-1", 3, "c-2"));
  expect(cache.mirrorOf("c-1")?.metadata.resourceVersion).toBe("3");
  expect(cache.mirrorOf("c-2")).toBeUndefined();
  expect(cache.drop(object("h-1", 4))).toBe("c-1");
  cache.take(object("h-2", 5));
  expect([cache.mirrorOf("c-1"), cache.sourceOf(object("h-2", 5))]).toEqual([undefined, undefined]);
});

test("a mirror that is taken over is no longer that of the one before", () => {
  cache.take(object("h-1", 1, "c-1"));
  cache.claim(object("h-1", 1, "c-1"), "c-2");
  expect([cache.mirrorOf("c-1"), cache.mirrorOf("c-2")?.metadata.uid]).toEqual([undefined, "h-1"]);
});

test("a listing says which objects are missing", () => {
  cache.take(object("h-1", 1, "c-1"));
  expect(cache.missingIn([object("h-2", 2)]).map(({ metadata }) => metadata.uid)).toEqual(["h-1"]);
  expect(cache.missingIn([object("h-1", 2)])).toEqual([]);
});

test("after a listing objects that had gone may be back", () => {
  cache.take(object("h-1", 5));
  cache.drop(object("h-1", 6));
  cache.relist();
  expect(cache.isPast(object("h-1", 2))).toBe(false);
});

function object(uid: string, version: number, source?: string): GitopsObject {
  const annotations = source === undefined ? {} : { "fairlead.dev/source-uid": source };
  const metadata = { name: "web", namespace: "east", uid, resourceVersion: `${version}`, annotations };
  return { apiVersion: "argoproj.io/v1alpha1", kind: "Application", metadata };
}

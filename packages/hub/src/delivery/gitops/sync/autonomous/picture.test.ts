import { type GitopsObject, readStamps } from "@fairlead/protocol";
import { beforeEach, expect, test } from "vitest";
import { MirrorPicture } from "./picture.ts";

let picture: MirrorPicture;
beforeEach(() => {
  picture = new MirrorPicture({ readSource: ({ metadata }) => readStamps(metadata)?.sourceUid });
});

test("what is known already, is older or has gone since changes nothing", () => {
  picture.take(object("h-1", 5));
  for (const version of [4, 5]) expect(picture.isPast(object("h-1", version))).toBe(true);
  expect(picture.isPast(object("h-1", 6))).toBe(false);
  expect(picture.isPast(object("h-0", 3))).toBe(true);
  picture.drop(object("h-1", 6));
  expect(picture.isPast(object("h-1", 6))).toBe(true);
  picture.revive(object("h-1", 7));
  expect(picture.isPast(object("h-1", 7))).toBe(false);
});

test("a mirror stays one whose stamps are taken off or changed, and another under its name is none", () => {
  picture.take(object("h-1", 1, "c-1"));
  picture.take(object("h-1", 2));
  picture.take(object("h-1", 3, "c-2"));
  expect(picture.mirrorOf("c-1")?.metadata.resourceVersion).toBe("3");
  expect(picture.mirrorOf("c-2")).toBeUndefined();
  expect(picture.drop(object("h-1", 4))).toBe("c-1");
  picture.take(object("h-2", 5));
  expect([picture.mirrorOf("c-1"), picture.sourceOf(object("h-2", 5))]).toEqual([undefined, undefined]);
});

test("a mirror that is taken over is no longer that of the one before", () => {
  picture.take(object("h-1", 1, "c-1"));
  picture.claim(object("h-1", 1, "c-1"), "c-2");
  expect([picture.mirrorOf("c-1"), picture.mirrorOf("c-2")?.metadata.uid]).toEqual([undefined, "h-1"]);
});

test("a listing says which objects are missing", () => {
  picture.take(object("h-1", 1, "c-1"));
  expect(picture.missingIn([object("h-2", 2)]).map(({ metadata }) => metadata.uid)).toEqual(["h-1"]);
  expect(picture.missingIn([object("h-1", 2)])).toEqual([]);
});

function object(uid: string, version: number, source?: string): GitopsObject {
  const annotations = source === undefined ? {} : { "fairlead.dev/source-uid": source };
  const metadata = { name: "web", namespace: "east", uid, resourceVersion: `${version}`, annotations };
  return { apiVersion: "argoproj.io/v1alpha1", kind: "Application", metadata };
}

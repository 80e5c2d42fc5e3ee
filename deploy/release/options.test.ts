import { join } from "node:path";
import { repoRoot } from "@fairlead/testkit";
import { expect, test } from "vitest";
import { writeNotes } from "./notes.ts";
import { readInvocation } from "./options.ts";

test("a release is made by --dry-run alone, whole unless a part of it is named", () => {
  expect(readInvocation([])).toEqual({ kind: "publish" });
  expect(readInvocation(["--only", "charts"])).toEqual({ kind: "publish" });
  expect(readInvocation(["--dry-run"])).toMatchObject({ kind: "make", outDir: join(repoRoot, "dist", "release") });
  expect(readInvocation(["--dry-run", "--only", "charts", "--platform", "linux-arm64"])).toMatchObject({
    parts: ["charts"],
    platforms: ["linux-arm64"],
  });
});

test.each([["--publish"], ["--dry-run --only books"], ["--dry-run --platform amiga"]])("%s is refused", (line) => {
  expect(() => readInvocation(line.split(" "))).toThrow(expect.objectContaining({ code: "RELEASE_ARGUMENT_INVALID" }));
});

test("there are no notes for a version of which the changelog says nothing", () => {
  expect(() => writeNotes({ version: "0.0.7", singleFiles: [], omissions: [] })).toThrow(
    expect.objectContaining({ code: "RELEASE_NOTES_MISSING" }),
  );
});

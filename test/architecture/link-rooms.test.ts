// The link is a house of its own: rooms with doors, arrows one way, and no circles, of types neither.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readSources, resolveImport, root, type SourceFile } from "./sources.ts";

const house = "packages/protocol/src/link/";
/** Which room may use which, through its index.ts. */
const allowedRooms: Readonly<Record<string, readonly string[]>> = {
  wire: [],
  stream: ["wire"],
  lane: ["wire"],
  session: ["wire", "stream", "lane"],
  socket: ["wire", "stream", "session"],
};

const files = readSources().filter((file) => file.path.startsWith(house));
const shipped = files.filter((file) => !file.isTest);

test("each file of the link lies in a room, and each room is known", () => {
  expect(readdirSync(join(root, house)).sort()).toEqual(["index.ts", ...Object.keys(allowedRooms)].sort());
});

test("a room of the link uses only the rooms below it, through their doors", () => {
  const trespassers = shipped.flatMap((file) =>
    targetsOf(file)
      .filter((target) => target.startsWith(house) && roomOf(target) !== roomOf(file.path))
      .filter((target) => {
        const isAllowed = file.path === `${house}index.ts` || allowedRooms[roomOf(file.path)]?.includes(roomOf(target));
        return !isAllowed || !target.endsWith("/index.ts");
      })
      .map((target) => `${file.path} -> ${target}`),
  );
  expect(trespassers).toEqual([]);
});

test("no files of the link import each other in a circle, not even for types", () => {
  const imports = new Map(shipped.map((file) => [file.path, targetsOf(file)]));
  const circles: string[] = [];
  const done = new Set<string>();
  for (const path of imports.keys()) walk(path, []);
  expect(circles).toEqual([]);

  function walk(path: string, way: readonly string[]): void {
    if (way.includes(path)) circles.push([...way.slice(way.indexOf(path)), path].join(" -> "));
    if (done.has(path) || way.includes(path)) return;
    for (const target of imports.get(path) ?? []) walk(target, [...way, path]);
    done.add(path);
  }
});

test("a state of the link changes in one function, which has a test of its own", () => {
  const machines = shipped.filter(({ path }) => path.endsWith("-state.ts")).map(({ path }) => path);
  expect(machines.sort()).toEqual([
    `${house}lane/lane-state.ts`,
    `${house}session/session-state.ts`,
    `${house}stream/stream-state.ts`,
  ]);
  const tests = files.map(({ path }) => path);
  for (const machine of machines) expect(tests).toContain(machine.replace(".ts", ".test.ts"));
});

function targetsOf(file: SourceFile): string[] {
  return file.imports
    .filter((specifier) => specifier.startsWith("."))
    .map((specifier) => resolveImport(file, specifier));
}

function roomOf(path: string): string {
  return path.slice(house.length).split("/")[0] ?? "";
}

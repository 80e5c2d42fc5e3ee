import { expect, test } from "vitest";
import { readImportGraph } from "./import-graph.ts";

const sources: Readonly<Record<string, string>> = {
  "packages/kernel/src/index.ts": `export { wait } from "./wait.ts"; export * from "./size.ts"; export const own = 1;`,
  "packages/kernel/src/wait.ts": `import type { Size } from "./size.ts"; export const wait = 1;`,
  "packages/kernel/src/size.ts": "export const size = 1; export type Size = number;",
  "packages/kernel/src/wait.test.ts": `import { wait } from "./wait.ts";`,
  "packages/hub/src/waits.ts": `import { wait as pause } from "@fairlead/kernel";`,
  "packages/hub/src/waits.test.ts": `import "./waits.ts";`,
  "packages/hub/src/sizes.ts": `import { size } from "@fairlead/kernel";`,
  "packages/hub/src/all.ts": `import * as kernel from "@fairlead/kernel";`,
  "packages/hub/src/lazy.ts": `export const load = () => import("./sizes.ts");`,
  "packages/hub/src/typed.ts": `import type { Size } from "@fairlead/kernel"; import { own } from "@fairlead/kernel";`,
};
const graph = readImportGraph({
  files: Object.keys(sources),
  read: (file) => sources[file] ?? "",
  modules: new Map([["@fairlead/kernel", "packages/kernel/src/index.ts"]]),
});

function reachOf(...changed: string[]): Record<string, number> {
  return Object.fromEntries(graph.reach(changed));
}

test("a door passes a change on to those alone that import a name of the changed file", () => {
  expect(reachOf("packages/kernel/src/wait.ts")).toEqual({
    "packages/kernel/src/wait.ts": 0,
    "packages/kernel/src/wait.test.ts": 1,
    "packages/kernel/src/index.ts": 1,
    "packages/hub/src/waits.ts": 2,
    "packages/hub/src/all.ts": 2,
    "packages/hub/src/waits.test.ts": 3,
  });
});

test("a change is followed through `export *`, imports at run time and imports without names, and not through types", () => {
  expect(reachOf("packages/kernel/src/size.ts")).toEqual({
    "packages/kernel/src/size.ts": 0,
    "packages/kernel/src/index.ts": 1,
    "packages/hub/src/waits.ts": 2,
    "packages/hub/src/sizes.ts": 2,
    "packages/hub/src/all.ts": 2,
    "packages/hub/src/typed.ts": 2,
    "packages/hub/src/waits.test.ts": 3,
    "packages/hub/src/lazy.ts": 3,
  });
});

test("a door that is changed itself reaches all that import it", () => {
  const reached = Object.keys(reachOf("packages/kernel/src/index.ts"));
  expect(reached).toContain("packages/hub/src/sizes.ts");
  expect(reached).toContain("packages/hub/src/typed.ts");
  expect(reached).not.toContain("packages/kernel/src/wait.test.ts");
});

test("a file that is reached on two ways has the shorter one's length", () => {
  expect(reachOf("packages/kernel/src/wait.ts", "packages/hub/src/waits.ts")["packages/hub/src/waits.test.ts"]).toBe(1);
});

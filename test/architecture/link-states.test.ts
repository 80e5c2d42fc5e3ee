// The link is made of state machines.
import { expect, test } from "vitest";
import { readSources } from "./sources.ts";

const house = "packages/protocol/src/link/";

const files = readSources([house]);
const shipped = files.filter((file) => !file.isTest);

test("a state of the link changes in one function, which has a test of its own", () => {
  const machines = shipped.filter(({ path }) => path.endsWith("-state.ts")).map(({ path }) => path);
  expect(machines.sort()).toEqual([
    `${house}lane/lane-state.ts`,
    `${house}session/partial-head-state.ts`,
    `${house}session/session-state.ts`,
    `${house}stream/stream-state.ts`,
  ]);
  const tests = files.map(({ path }) => path);
  for (const machine of machines) expect(tests).toContain(machine.replace(".ts", ".test.ts"));
});

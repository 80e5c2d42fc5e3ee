import { expect, test } from "vitest";
import { readAgeSeconds, readTable } from "./read-table.ts";

test("a table is read by its headings, cells with spaces included", () => {
  const text =
    "CLUSTER  NAME   RESTARTS     AGE-OF-DATA\neast     web-0  1 (5m ago)   stale 22s\nwest     web-1  0            3s\n";
  expect(readTable(text)).toEqual([
    { CLUSTER: "east", NAME: "web-0", RESTARTS: "1 (5m ago)", "AGE-OF-DATA": "stale 22s" },
    { CLUSTER: "west", NAME: "web-1", RESTARTS: "0", "AGE-OF-DATA": "3s" },
  ]);
});

test("an age is read with its state and without", () => {
  expect(["3s", "stale 22s", "offline 5m", "unknown", "offline"].map(readAgeSeconds)).toEqual([
    3,
    22,
    300,
    undefined,
    undefined,
  ]);
});

import type { LinkState } from "@fairlead/protocol";
import { expect, it } from "vitest";
import type { LinkRecord } from "./registry.ts";
import { findSurplus } from "./surplus.ts";

it("finds the oldest cut link of a cluster that has too many of them, and counts no others", () => {
  const cut = Array.from({ length: 64 }, (_, index) => createRecord(`cut-${index}`, "east", "resuming"));
  const others = [createRecord("first", "east", "up"), createRecord("elsewhere", "west", "resuming")];
  expect(findSurplus([...others, ...cut], "east")).toBeUndefined();
  expect(findSurplus([...others, ...cut, createRecord("last", "east", "resuming")], "east")?.id).toBe("cut-0");
});

function createRecord(id: string, cluster: string, state: LinkState): LinkRecord {
  return { id, cluster, link: { state } } as LinkRecord;
}

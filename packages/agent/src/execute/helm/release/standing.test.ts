import { expect, test } from "vitest";
import type { ReleaseHead } from "./release-store.ts";
import { judgeStanding } from "./standing.ts";

function head(revision: number, status: string, whose: "own" | "earlier" | "others" = "others"): ReleaseHead {
  const common = { secret: `v${revision}`, revision, status, writer: "x", writtenAt: "x" };
  return { ...common, isFairlead: whose !== "others", isOwn: whose === "own" };
}

const memory = { phase: "act", before: 1, expected: 2 } as const;
const pending = ["pending-install", "pending-upgrade", "pending-rollback", "uninstalling"];

test.each([
  ["nothing is there", [], undefined, "free"],
  ["somebody's is deployed", [head(1, "deployed")], undefined, "free"],
  ["somebody's failed", [head(1, "failed")], undefined, "free"],
  ...pending.map((status) => [`somebody's is ${status}`, [head(1, status)], undefined, "busy"] as const),
  ...pending.map(
    (status) => [`an earlier command's is ${status}`, [head(1, status, "earlier")], undefined, "broken"] as const,
  ),
  ...pending.map((status) => [`our own is ${status}`, [head(2, status, "own")], memory, "broken"] as const),
  ["we died before it was begun", [head(1, "deployed")], memory, "free"],
  ["we died after it was done", [head(1, "superseded"), head(2, "deployed", "own")], memory, "done"],
  ["somebody went on from it", [head(2, "superseded", "own"), head(3, "deployed")], memory, "done"],
  ["somebody is going on from it", [head(2, "superseded", "own"), head(3, "pending-upgrade")], memory, "busy"],
  ["ours failed", [head(1, "deployed"), head(2, "failed", "own")], memory, "free"],
  ["somebody was faster", [head(1, "superseded"), head(2, "deployed")], memory, "free"],
  ["we only put away the one before", [head(1, "deployed", "own")], memory, "free"],
  ["it is another command's", [head(1, "superseded"), head(2, "deployed", "earlier")], memory, "free"],
] as const)("when %s", (_when, heads, remembered, type) => {
  expect(judgeStanding(heads, remembered).type).toBe(type);
});

import { describe, expect, it } from "vitest";
import { type NodeEvent, type NodeState, nextNodeState } from "./node-state.ts";

describe("a step", () => {
  const waiting: NodeState = { is: "waiting" };
  const under: NodeState = { is: "running", command: "cmd" };
  const events: NodeEvent[] = [
    { type: "begun", command: "cmd" },
    { type: "refused" },
    { type: "nothing-there" },
    { type: "blocked" },
    { type: "withdrawn" },
    { type: "command-ended", outcome: "succeeded" },
    { type: "command-ended", outcome: "cancelled" },
    { type: "command-ended", outcome: "failed" },
    { type: "command-ended", outcome: "lost" },
    { type: "command-ended", outcome: "refused" },
    { type: "command-ended", outcome: "expired" },
  ];
  const after: Record<string, NodeState["is"][]> = {
    waiting: ["running", "failed", "succeeded", "skipped", "cancelled", ...Array<"waiting">(6).fill("waiting")],
    running: [
      ...Array<"running">(5).fill("running"),
      ...(["succeeded", "cancelled", "failed", "failed", "failed", "failed"] as const),
    ],
  };

  it.each([waiting, under])("that is $is becomes what each event says", (state) => {
    expect(events.map((event) => nextNodeState(state, event).is)).toEqual(after[state.is]);
  });

  it.each(["succeeded", "failed", "skipped", "cancelled"] as const)("that is %s stays so", (is) => {
    const state: NodeState = { is };
    for (const event of events) expect(nextNodeState(state, event)).toBe(state);
  });
});

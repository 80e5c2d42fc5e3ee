// Tells people who wait for a run how it comes along: that it begins, that it waits for approval, and how it is
// answered.
import type { Command as Run } from "@fairlead/contract";
import type { CommandContext } from "../../context.ts";
import { awaitedOf, describeWaiting, formatState } from "./run-text.ts";

/** Tells each state once, and calls `onWaiting` when it waits for an agent. How it ends is told by who waits for that. */
export function createRunTeller(
  context: Pick<CommandContext, "output">,
  onWaiting: () => void = () => undefined,
): (run: Run) => void {
  const { output } = context;
  let told = "";
  return (run) => {
    const state = formatState(run);
    if (state === told || run.finishedAt !== undefined || passing.has(run.state)) return;
    told = state;
    const isForAgent = run.state === "queued" || run.state === "approved";
    if (isForAgent) onWaiting();
    // That it was asked for is told already.
    if (isForAgent && run.claims === 0) return;
    const approval = awaitedOf(run);
    if (approval) output.notice(describeWaiting(context, { ...run, approval }));
    else output.remark(`${output.safe(run.cluster)}: ${state}`);
  };
}

/** An agent has it and is about to begin. */
const passing: ReadonlySet<Run["state"]> = new Set(["claimed", "resolving"]);

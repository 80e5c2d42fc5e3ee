import type { CommandDetail } from "@fairlead/contract";
import { describePlan, wouldChange } from "../../foresight/index.ts";
import type { Output } from "../../output/index.ts";

/** A dry run that has ended. */
export interface PlannedRun {
  readonly run: CommandDetail;
  readonly differs: boolean;
  /** Empty where nothing would change. */
  readonly text: string;
}

export async function toPlanned(output: Output, run: CommandDetail): Promise<PlannedRun> {
  const { state, result, target, cluster } = run;
  const differs = state === "succeeded" && wouldChange(result);
  // A plan that failed names the objects that can't be applied.
  const isTold = differs || (state !== "succeeded" && result !== undefined);
  if (!isTold) return { run, differs, text: "" };
  const head = `\n${output.safe(target)} in ${output.safe(cluster)} would change:\n`;
  return { run, differs, text: head + (await describePlan(output, result)) };
}

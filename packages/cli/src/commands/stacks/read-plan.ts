import type { HubClient, StackStep } from "@fairlead/contract";
import { isFairleadError } from "@fairlead/kernel";
import { wouldChange } from "../../foresight/index.ts";

/** A step whose plan depends on the outputs of other steps counts as a change. */
export function stepDiffers({ state, result }: PlannedStep): boolean {
  return state !== "succeeded" || wouldChange(result);
}

/** A step with what its command says that it would do. */
export type PlannedStep = StackStep & { readonly result?: unknown };

/** Commands that one may not see have no result. */
export async function readPlan(
  hub: Pick<HubClient, "getCommand">,
  steps: readonly StackStep[],
  signal: AbortSignal,
): Promise<readonly PlannedStep[]> {
  const planned: PlannedStep[] = [];
  for (const step of steps) {
    const result = step.command === undefined ? undefined : await readResult(hub, step.command, signal);
    planned.push({ ...step, ...(result === undefined ? {} : { result }) });
  }
  return planned;
}

async function readResult(hub: Pick<HubClient, "getCommand">, id: string, signal: AbortSignal): Promise<unknown> {
  try {
    return (await hub.getCommand(id, { signal })).result;
  } catch (thrown) {
    if (isFairleadError(thrown) && (thrown.httpStatus === 403 || thrown.httpStatus === 404)) return undefined;
    throw thrown;
  }
}

// Waits until a run of a stack has ended, says how its resources come along, and how it ended.
import type { HubClient, StackRunDetail, StackStep } from "@fairlead/contract";
import { Backoff } from "@fairlead/kernel";
import type { CommandContext } from "../../context.ts";
import { cliErrors } from "../../errors.ts";
import { pause } from "../../files/index.ts";
import { concludeDryRun } from "../../foresight/index.ts";
import { createLogPrinter, describeWaiting, followRun, keyOfApproval } from "../runs/index.ts";
import { throwUnlessRetryable } from "../throw-unless-retryable.ts";
import { readPlan, stepDiffers } from "./read-plan.ts";
import { describeEnd, describeResults, describeStep } from "./stack-text.ts";

/** Throws CLI_STACK_UNSUCCESSFUL unless all went well. */
export async function finishRun(
  context: CommandContext,
  hub: HubClient,
  run: StackRunDetail,
  { isFollowed, isDryRun = false }: { readonly isFollowed: boolean; readonly isDryRun?: boolean },
): Promise<void> {
  const { output, signal } = context;
  const live = await context.live();
  const told = new Map<number, string>();
  const awaited = new Map<number, string>();
  const logs: Promise<void>[] = [];
  let seen = run;
  for await (seen of watchRun(hub, run, { signal, remark: (text) => output.remark(text) })) {
    for (const step of seen.steps) {
      tellOfWaiting(step);
      if (told.get(step.place) === step.state) continue;
      const isNew = step.command !== undefined && !isBegun(told.get(step.place));
      told.set(step.place, step.state);
      if (step.state === "waiting") continue;
      if (!output.isDocument) output.print(describeStep(output, step));
      if (isFollowed && isNew && step.command !== undefined) logs.push(printLog(step, step.command));
    }
  }
  await Promise.all(logs);
  const steps = seen.action === "plan" ? await readPlan(hub, seen.steps, signal) : seen.steps;
  const differs = steps.some(stepDiffers);
  const answered = { ...seen, steps, ...(isDryRun && { differs }) };
  output.answer(answered, () => `${describeResults(output, answered)}${describeEnd(output, seen)}`);
  if (seen.state !== "succeeded") throw cliErrors.CLI_STACK_UNSUCCESSFUL({ stack: seen.stack, state: seen.state });
  if (isDryRun) concludeDryRun(context, differs);

  function tellOfWaiting({ place, cluster, command: id, approval }: StackStep): void {
    if (!approval || id === undefined || awaited.get(place) === keyOfApproval(approval)) return;
    awaited.set(place, keyOfApproval(approval));
    output.notice(describeWaiting(context, { id, cluster, approval }));
  }

  async function printLog({ name, cluster }: StackStep, id: string): Promise<void> {
    const prefix = `${output.colors.dim(`${output.safe(name)} (${output.safe(cluster)}) |`)} `;
    const printer = createLogPrinter({
      prefix,
      print: (text) => void (output.isDocument ? undefined : output.print(text)),
    });
    for await (const bytes of followRun({
      hub,
      live,
      wantsLog: true,
      id,
      signal,
      remark: (text) => output.remark(text),
    }))
      printer.write(bytes);
    printer.end();
  }
}

/** As it changes, until it has ended. A hub that can't be reached for a while is asked again. */
async function* watchRun(
  hub: Pick<HubClient, "getStackRun">,
  run: StackRunDetail,
  { signal, remark }: { readonly signal: AbortSignal; readonly remark: (text: string) => void },
): AsyncGenerator<StackRunDetail> {
  const { stack, id } = run;
  const backoff = new Backoff({ baseMs: 200, maxMs: 2_000 });
  let seen = run;
  yield seen;
  while (seen.finishedAt === undefined) {
    await pause(backoff.nextMs(), signal);
    try {
      const now = await hub.getStackRun(stack, id, { signal });
      if (now.version === seen.version) continue;
      backoff.reset();
      seen = now;
      yield seen;
    } catch (thrown) {
      throwUnlessRetryable(thrown, { signal, remark });
    }
  }
}

function isBegun(state: string | undefined): boolean {
  return state !== undefined && state !== "waiting";
}

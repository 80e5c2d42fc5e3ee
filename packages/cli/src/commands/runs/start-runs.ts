// Asks for a command in each cluster that is named, or for a rollout.
import { randomUUID } from "node:crypto";
import {
  commandLimits,
  type HubClient,
  type KindAndSpec,
  type Command as Run,
  type TemplateUse,
} from "@fairlead/contract/client";
import type { Command } from "../../command.ts";
import type { CommandContext } from "../../context.ts";
import { usage } from "../../errors.ts";
import { parseSpan } from "../../output/index.ts";
import { type ApprovalOptions, addApprovalOptions, toApprovals } from "./approval-options.ts";
import { addTargetOptions, readTarget, type Target, type TargetOptions } from "./choose-clusters.ts";
import { finishRollout } from "./finish-rollout.ts";
import { finishRuns } from "./finish-runs.ts";
import { addPlanOptions, type PlanOptions, toPlan } from "./rollout-plan.ts";
import { describePreview, rolloutHeading, toRolloutRow } from "./rollout-text.ts";
import { runHeading, toRow } from "./run-text.ts";

export interface RunOptions extends TargetOptions, PlanOptions, ApprovalOptions {
  readonly dryRun?: boolean;
  readonly serviceAccount?: string;
  readonly deadline?: number;
  readonly priority?: number;
  readonly key?: string;
  readonly wait?: boolean;
  readonly follow?: boolean;
}

/** Adds the options of all commands that start runs. */
export function addRunOptions(command: Command): Command {
  return addApprovalOptions(
    addPlanOptions(addTargetOptions(command)).option(
      "--dry-run",
      "Print what would change without changing it, and exit with 1 if anything would",
    ),
  )
    .option("--deadline <time>", "Maximum time to wait for an agent (default: 1d)", parseSpan)
    .option("--priority <number>", "Priority from 0 to 9; higher runs first (default: 5)", parsePriority)
    .option("--key <key>", "Idempotency key: repeating a request with the same key runs it once")
    .formerOption("-w", "--wait")
    .option("--wait", "Wait for the end, and exit with 10 if a run didn't succeed")
    .option("--follow", "Wait for the end, and print the logs meanwhile");
}

/** `read` is called when the options are known to make sense, and before anything is asked for. */
export async function startRuns(
  context: CommandContext,
  { options, read }: { readonly options: RunOptions; readonly read: () => Promise<KindAndSpec | TemplateUse> },
): Promise<void> {
  const { output, signal } = context;
  const target = readTarget(options);
  const plan = toPlan(options);
  const wishes = toWishes(options);
  const what: Wanted = { ...(await read()), ...wishes };
  const hub = await context.hub();
  if (plan || !("clusters" in target)) return runRollout(context, { hub, what, target, plan, options });
  const runs: Run[] = [];
  for (const cluster of target.clusters) runs.push(await submit({ hub, cluster, what, options, signal }));
  const { dryRun: isDryRun = false, follow: isShown = false, wait = false } = options;
  if (isShown || wait || isDryRun) return finishRuns(context, hub, runs, { isShown, isDryRun });
  output.answer({ items: runs }, () =>
    output.table(
      runHeading(output),
      runs.map((each) => toRow(context, each)),
    ),
  );
}

type Wanted = (KindAndSpec | TemplateUse) & ReturnType<typeof toWishes>;

function submit(request: {
  readonly hub: HubClient;
  readonly cluster: string;
  readonly what: Wanted;
  readonly options: RunOptions;
  readonly signal: AbortSignal;
}): Promise<Run> {
  const { hub, cluster, what, options, signal } = request;
  const { key } = options;
  // A request that is sent again because its answer was lost must not make a second command.
  const idempotencyKey = key === undefined ? randomUUID() : `${key}/${cluster}`;
  return hub.createCommand({ ...what, cluster, idempotencyKey }, { signal });
}

async function runRollout(
  context: CommandContext,
  request: {
    readonly hub: HubClient;
    readonly what: Wanted;
    readonly target: Target;
    readonly plan: ReturnType<typeof toPlan>;
    readonly options: RunOptions;
  },
): Promise<void> {
  const { output, signal } = context;
  const { hub, what, target, plan, options } = request;
  const { follow = false, wait = false, preview = false, dryRun: isDryRun = false, key = randomUUID() } = options;
  const wanted = { ...what, ...target, ...plan, idempotencyKey: key };
  if (preview) {
    const seen = await hub.previewRollout(wanted, { signal });
    return output.answer(seen, () => describePreview(context, seen));
  }
  const rollout = await hub.createRollout(wanted, { signal });
  if (follow || wait || isDryRun) return finishRollout(context, hub, rollout, { isShown: follow, isDryRun });
  output.answer(rollout, () => output.table(rolloutHeading, [toRolloutRow(context, rollout)]));
}

function toWishes(options: RunOptions) {
  const { dryRun, serviceAccount, deadline, priority } = options;
  const deadlineSeconds = deadline === undefined ? undefined : Math.ceil(deadline / 1_000);
  return { dryRun, serviceAccount, priority, deadlineSeconds, approvals: toApprovals(options) };
}

function parsePriority(text: string): number {
  const priority = Number(text);
  if (text !== "" && Number.isInteger(priority) && priority >= 0 && priority <= commandLimits.maxPriority)
    return priority;
  throw usage(`'${text}' isn't a valid priority.`, `Use a number from 0 to ${commandLimits.maxPriority}.`);
}

// `fairlead run KIND`: one command for each cluster that is named, or a rollout.
import { randomUUID } from "node:crypto";
import {
  type CommandKindName,
  type CommandSpecs,
  commandLimits,
  type HubClient,
  type KindAndSpec,
  type Command as Run,
} from "@fairlead/contract";
import type { Command } from "commander";
import type { CommandContext, OpenContext } from "../../context.ts";
import { usage } from "../../errors.ts";
import { parseSpan } from "../../output/index.ts";
import type { Terminal } from "../../terminal.ts";
import { addTargetOptions, readTarget, type Target, type TargetOptions } from "./choose-clusters.ts";
import { finishRollout } from "./finish-rollout.ts";
import { finishRuns } from "./finish-runs.ts";
import { addPlanOptions, type PlanOptions, toPlan } from "./rollout-plan.ts";
import { describePreview, rolloutHeading, toRolloutRow } from "./rollout-text.ts";
import { runHeading, toRow } from "./run-text.ts";

interface RunOptions extends TargetOptions, PlanOptions {
  readonly file: string;
  readonly dryRun?: boolean;
  readonly deadline?: number;
  readonly priority?: number;
  readonly key?: string;
  readonly wait?: boolean;
  readonly follow?: boolean;
}

export interface RunnableKind<Kind extends CommandKindName> {
  readonly kind: Kind;
  readonly description: string;
  /** Of `--file`. */
  readonly fileHelp: string;
  /** Of a file, or `-`. The hub checks what isn't checked here. */
  readonly readSpec: (terminal: Pick<Terminal, "stdin">, file: string) => Promise<CommandSpecs[Kind]>;
}

export function addRunKind<Kind extends CommandKindName>(
  run: Command,
  open: OpenContext,
  kind: RunnableKind<Kind>,
): void {
  addPlanOptions(
    addTargetOptions(
      run.command(kind.kind).description(kind.description).requiredOption("-f, --file <file>", kind.fileHelp),
    ),
  )
    .option("--dry-run", "say what would change, and change nothing")
    .option("--deadline <time>", "how long it may wait for an agent (default: 1d)", parseSpan)
    .option("--priority <number>", "0 to 9; higher ones go first (default: 5)", parsePriority)
    .option("--key <key>", "asked for again under the same key, it is done once")
    .option("-w, --wait", "wait for the end; the exit code says whether all went well")
    .option("--follow", "wait, and show the logs meanwhile")
    .action((options: RunOptions, command: Command) => runKind(open(command), kind, options));
}

async function runKind<Kind extends CommandKindName>(
  context: CommandContext,
  { kind, readSpec }: RunnableKind<Kind>,
  options: RunOptions,
): Promise<void> {
  const { output, terminal, signal } = context;
  const target = readTarget(options);
  const plan = toPlan(options);
  const what = { kind, spec: await readSpec(terminal, options.file) } as KindAndSpec;
  const hub = await context.hub();
  if (plan || !("clusters" in target)) return runRollout(context, { hub, what, target, plan, options });
  const runs: Run[] = [];
  for (const cluster of target.clusters) runs.push(await submit({ hub, cluster, what, options, signal }));
  if (options.follow || options.wait) return finishRuns(context, hub, runs, { isShown: options.follow === true });
  output.answer({ items: runs }, () =>
    output.table(
      runHeading,
      runs.map((each) => toRow(context, each)),
    ),
  );
}

function submit(request: {
  readonly hub: HubClient;
  readonly cluster: string;
  readonly what: KindAndSpec;
  readonly options: RunOptions;
  readonly signal: AbortSignal;
}): Promise<Run> {
  const { hub, cluster, what, options, signal } = request;
  const { key } = options;
  // A request that is sent again because its answer was lost must not make a second command.
  const idempotencyKey = key === undefined ? randomUUID() : `${key}/${cluster}`;
  return hub.createCommand({ ...what, cluster, ...toWishes(options), idempotencyKey }, { signal });
}

async function runRollout(
  context: CommandContext,
  request: {
    readonly hub: HubClient;
    readonly what: KindAndSpec;
    readonly target: Target;
    readonly plan: ReturnType<typeof toPlan>;
    readonly options: RunOptions;
  },
): Promise<void> {
  const { output, signal } = context;
  const { hub, what, target, plan, options } = request;
  const { follow = false, wait = false, preview = false, key = randomUUID() } = options;
  const wanted = { ...what, ...target, ...plan, ...toWishes(options), idempotencyKey: key };
  if (preview) {
    const seen = await hub.previewRollout(wanted, { signal });
    return output.answer(seen, () => describePreview(context, seen));
  }
  const rollout = await hub.createRollout(wanted, { signal });
  if (follow || wait) return finishRollout(context, hub, rollout, { isShown: follow });
  output.answer(rollout, () => output.table(rolloutHeading, [toRolloutRow(context, rollout)]));
}

function toWishes({ dryRun, deadline, priority }: RunOptions) {
  const deadlineSeconds = deadline === undefined ? undefined : Math.ceil(deadline / 1_000);
  return { dryRun, priority, deadlineSeconds };
}

function parsePriority(text: string): number {
  const priority = Number(text);
  if (text !== "" && Number.isInteger(priority) && priority >= 0 && priority <= commandLimits.maxPriority)
    return priority;
  throw usage(`'${text}' isn't a priority.`, `It is a number from 0 to ${commandLimits.maxPriority}.`);
}

import { randomUUID } from "node:crypto";
import { commandLimits, type HubClient, type ManifestsSpec, type Command as Run } from "@fairlead/contract";
import type { Command } from "commander";
import type { CommandContext, OpenContext } from "../../context.ts";
import { usage } from "../../errors.ts";
import { parseSpan } from "../../output/index.ts";
import { addTargetOptions, chooseClusters, type TargetOptions } from "./choose-clusters.ts";
import { finishRuns } from "./finish-runs.ts";
import { readSpec } from "./read-spec.ts";
import { runHeading, toRow } from "./run-text.ts";

interface ManifestsOptions extends TargetOptions {
  readonly file: string;
  readonly dryRun?: boolean;
  readonly deadline?: number;
  readonly priority?: number;
  readonly key?: string;
  readonly wait?: boolean;
  readonly follow?: boolean;
}

export function addRunManifests(run: Command, open: OpenContext): void {
  addTargetOptions(
    run
      .command("manifests")
      .description("apply a set of manifests in clusters")
      .requiredOption("-f, --file <file>", "the set, as YAML or JSON; - for standard input"),
  )
    .option("--dry-run", "say what would change, and change nothing")
    .option("--deadline <time>", "how long it may wait for an agent (default: 1d)", parseSpan)
    .option("--priority <number>", "0 to 9; higher ones go first (default: 5)", parsePriority)
    .option("--key <key>", "asked for again under the same key, it is done once")
    .option("-w, --wait", "wait for the end; the exit code says whether all went well")
    .option("--follow", "wait, and show the logs meanwhile")
    .action((options: ManifestsOptions, command: Command) => runManifests(open(command), options));
}

async function runManifests(context: CommandContext, options: ManifestsOptions): Promise<void> {
  const { output, terminal, signal } = context;
  const spec = await readSpec(terminal, options.file);
  const hub = await context.hub();
  const clusters = await chooseClusters(hub, options, signal);
  const runs: Run[] = [];
  for (const cluster of clusters) runs.push(await submit({ hub, cluster, spec, options, signal }));
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
  readonly spec: ManifestsSpec;
  readonly options: ManifestsOptions;
  readonly signal: AbortSignal;
}): Promise<Run> {
  const { hub, cluster, spec, options, signal } = request;
  const { dryRun, deadline, priority, key } = options;
  return hub.createCommand(
    {
      ...{ cluster, kind: "manifests", spec, dryRun, priority },
      deadlineSeconds: deadline === undefined ? undefined : Math.ceil(deadline / 1_000),
      // A request that is sent again because its answer was lost must not make a second command.
      idempotencyKey: key === undefined ? randomUUID() : `${key}/${cluster}`,
    },
    { signal },
  );
}

function parsePriority(text: string): number {
  const priority = Number(text);
  if (text !== "" && Number.isInteger(priority) && priority >= 0 && priority <= commandLimits.maxPriority)
    return priority;
  throw usage(`'${text}' isn't a priority.`, `It is a number from 0 to ${commandLimits.maxPriority}.`);
}

// Runs one command in each cluster, in so many clusters at once. The next clusters follow when all of these are
// healthy, and stay untouched after the first failure.
import { randomUUID } from "node:crypto";
import type { FlowSpec } from "@fairlead/contract";
import { InvalidArgumentError, Option } from "commander";
import type { Command } from "../../command.ts";
import type { CommandContext } from "../../context.ts";
import { cliErrors } from "../../errors.ts";
import { parseSpan } from "../../output/index.ts";
import { parseClusterCount } from "../limit.ts";
import { finishRuns } from "../runs/index.ts";
import type { AwaitedAddon } from "./explain-unhealthy.ts";
import type { HealthOptions } from "./to-flow.ts";

export interface WaveOptions extends HealthOptions {
  readonly maxParallel: number;
}

export interface ClusterWork {
  readonly cluster: string;
  readonly flow: FlowSpec;
  readonly steps: readonly AwaitedAddon[];
}

export function addWaveOptions(command: Command): Command {
  return addHealthOption(command)
    .formerOption("--at-once <number>", "--max-parallel")
    .option(
      "--max-parallel <number>",
      "Maximum number of clusters to run in at once; the next ones start when all succeeded",
      parseClusterCount,
      1,
    );
}

export function addHealthOption(command: Command): Command {
  return command.addOption(
    new Option("--healthy-within <time>", "Maximum time for each addon to become healthy, at most 1h")
      .argParser(parseHealthSpan)
      .default(1_200_000, "20m"),
  );
}

/** @throws {FairleadError} `CLI_ADDON_UNHEALTHY`, `CLI_RUN_UNSUCCESSFUL` */
export async function runWaves(
  context: CommandContext,
  { work, options }: { readonly work: readonly ClusterWork[]; readonly options: WaveOptions },
): Promise<void> {
  for (let from = 0; from < work.length; from += options.maxParallel) {
    const wave = work.slice(from, from + options.maxParallel);
    try {
      await runWave(context, wave);
    } catch (thrown) {
      const left = work.slice(from + options.maxParallel).map(({ cluster }) => cluster);
      if (left.length > 0) context.output.remark(`Left as they are: ${left.map(context.output.safe).join(", ")}.`);
      if (!cliErrors.is(thrown, "CLI_RUN_UNSUCCESSFUL")) throw thrown;
      const { explainUnhealthy } = await import("./explain-unhealthy.ts");
      throw (await explainUnhealthy(context, wave)) ?? thrown;
    }
  }
}

async function runWave(context: CommandContext, wave: readonly ClusterWork[]): Promise<void> {
  const { signal } = context;
  const hub = await context.hub();
  const runs = await Promise.all(
    wave.map(({ cluster, flow: spec }) =>
      hub.createCommand({ kind: "flow", spec, cluster, idempotencyKey: randomUUID() }, { signal }),
    ),
  );
  await finishRuns(context, hub, runs, { isShown: true });
}

/** Helm waits for an hour at most. */
function parseHealthSpan(text: string): number {
  const spanMs = parseSpan(text);
  if (spanMs >= 1_000 && spanMs <= 3_600_000) return spanMs;
  throw new InvalidArgumentError("It is from 1s to 1h.");
}

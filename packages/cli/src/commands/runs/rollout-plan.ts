// In which order and how fast clusters are asked.
import type { RolloutPlan, RolloutWave } from "@fairlead/contract";
import type { Command } from "../../command.ts";
import { usage } from "../../errors.ts";
import { parseSpan } from "../../output/index.ts";

export interface PlanOptions {
  readonly waves?: readonly RolloutWave[];
  readonly maxParallel?: number;
  readonly stopAfterFailures?: number;
  /** In milliseconds. */
  readonly pauseBetweenWaves?: number | true;
  readonly skipUnusable?: boolean;
  readonly preview?: boolean;
}

export function addPlanOptions(command: Command): Command {
  return command
    .option("--waves <waves>", "Run in waves, for example 1,10%,rest or env=canary,rest", parseWaves)
    .option("--max-parallel <number>", "Maximum number of clusters to run in at once", parseCount)
    .option(
      "--stop-after-failures <number>",
      "Stop starting new clusters after this many failures (default: 1 with --waves)",
      parseCount,
    )
    .option(
      "--pause-between-waves [time]",
      "Pause after each wave until resumed, or for this long, for example 10m",
      parseSpan,
    )
    .option("--skip-unusable", "Skip clusters that are offline or can't run this kind")
    .option("--preview", "Print the clusters of each wave without running anything");
}

/** Undefined: nothing is said of it. */
export function toPlan(options: PlanOptions): Omit<RolloutPlan, "clusters" | "selector" | "all"> | undefined {
  const { waves, maxParallel, stopAfterFailures, pauseBetweenWaves: pause, skipUnusable, preview } = options;
  const said = [waves, maxParallel, stopAfterFailures, pause, skipUnusable, preview];
  if (said.every((one) => one === undefined)) return undefined;
  if (pause !== undefined && !waves) throw usage("A pause between waves requires --waves.", "Add --waves.");
  return {
    waves,
    maxParallel,
    stopAfterFailures,
    skipUnusable,
    pauseBetweenWaves: typeof pause === "number" ? Math.ceil(pause / 1_000) : pause,
  };
}

export function parseWaves(text: string): RolloutWave[] {
  const parts = text.split(",").map((part) => part.trim());
  // The rest is the last wave anyway.
  if (parts.at(-1) === "rest") parts.pop();
  if (parts.length === 0) throw usage("The only wave is 'rest'.", wavesHint);
  return parts.map((part) => {
    if (/^[1-9]\d{0,4}$/.test(part)) return { size: Number(part) };
    if (/^([1-9]\d?|100)%$/.test(part)) return { size: part };
    if (/[=!]/.test(part)) return { selector: part };
    throw usage(`'${part}' isn't a valid wave.`, wavesHint);
  });
}

function parseCount(text: string): number {
  const count = Number(text);
  if (Number.isInteger(count) && count >= 1) return count;
  throw usage(`'${text}' isn't a number of clusters.`);
}

const wavesHint =
  "Write a number of clusters, a part of all (10%), or a label (env=canary) for each: --waves 1,10%,rest.";

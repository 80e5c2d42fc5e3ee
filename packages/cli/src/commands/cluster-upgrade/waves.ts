import type { RolloutWave } from "@fairlead/contract";
import { matchesLabels, parseLabelSelector } from "@fairlead/kernel";
import { usage } from "../../errors.ts";
import type { PlannedUpgrade } from "./plan.ts";

/**
 * The clusters of each wave, in the order in which they were chosen. Those that no wave takes are the last one. Sizes are
 * parts of all that are upgraded, rounded up.
 */
export function toWaves(
  upgrades: readonly PlannedUpgrade[],
  waves: readonly RolloutWave[] = defaultWaves,
): PlannedUpgrade[][] {
  const left = new Set(upgrades);
  const taken = waves.map((wave) => {
    const mine = takeWave([...left], wave, upgrades.length);
    for (const one of mine) left.delete(one);
    return mine;
  });
  return [...taken, [...left]].filter((wave) => wave.length > 0);
}

/** One cluster shows whether the new version works at all. */
const defaultWaves: readonly RolloutWave[] = [{ size: 1 }];

function takeWave(left: readonly PlannedUpgrade[], wave: RolloutWave, all: number): PlannedUpgrade[] {
  if ("clusters" in wave) return left.filter(({ cluster }) => wave.clusters.includes(cluster.name));
  if ("size" in wave) return left.slice(0, toCount(wave.size, all));
  const selector = parseLabelSelector(wave.selector);
  if (selector === undefined) throw usage(`'${wave.selector}' isn't a label selector.`, "Write it like env=canary.");
  return left.filter(({ cluster }) => matchesLabels(selector, cluster.labels));
}

function toCount(size: number | string, all: number): number {
  return typeof size === "number" ? size : Math.ceil((all * Number.parseInt(size, 10)) / 100);
}

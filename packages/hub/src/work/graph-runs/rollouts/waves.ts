// Which cluster of a rollout has its turn in which wave.
import type { Labels, RolloutWave } from "@fairlead/contract";
import { matchesLabels } from "@fairlead/kernel";
import { parseLabelSelector } from "../../../picture/objects/index.ts";
import { rolloutErrors } from "./errors.ts";

export interface ChosenCluster {
  readonly name: string;
  readonly labels: Readonly<Labels>;
}

export interface PlacedCluster {
  readonly cluster: string;
  /** From 1 on. */
  readonly wave: number;
}

/**
 * In the order of waves, and within one in the order in which they were chosen. Clusters that no wave has are the last
 * one. A wave without clusters is none, and may name clusters that are left out. Throws ROLLOUT_WAVE_UNKNOWN,
 * OBJECTS_SELECTOR_INVALID.
 */
export function planWaves(
  chosen: readonly ChosenCluster[],
  waves: readonly RolloutWave[] = [],
  leftOut: ReadonlySet<string> = new Set(),
): PlacedCluster[] {
  const left = new Map(chosen.map((cluster) => [cluster.name, cluster]));
  const planned = waves.map((wave, index) => {
    const names = namesOf(left, wave, chosen.length).filter((cluster) => !leftOut.has(cluster));
    const unknown = names.find((cluster) => !left.delete(cluster));
    if (unknown !== undefined) throw rolloutErrors.ROLLOUT_WAVE_UNKNOWN({ wave: index + 1, cluster: unknown });
    return names;
  });
  planned.push([...left.keys()]);
  return planned
    .filter((names) => names.length > 0)
    .flatMap((names, index) => names.map((cluster) => ({ cluster, wave: index + 1 })));
}

function namesOf(left: ReadonlyMap<string, ChosenCluster>, wave: RolloutWave, all: number): string[] {
  if ("clusters" in wave) return [...new Set(wave.clusters)];
  if ("size" in wave) return [...left.keys()].slice(0, toCount(wave.size, all));
  const selector = parseLabelSelector(wave.selector);
  return [...left.values()].filter(({ labels }) => matchesLabels(selector, labels)).map(({ name }) => name);
}

/** A part is rounded up, so that none is nothing. */
function toCount(size: number | string, all: number): number {
  return typeof size === "number" ? size : Math.ceil((all * Number.parseInt(size, 10)) / 100);
}

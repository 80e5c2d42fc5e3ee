import type { CommandContext } from "../../context.ts";
import {
  type Action,
  type Goal,
  type PlannedCluster,
  type PlannedUpgrade,
  type SeenCluster,
  versionsOf,
} from "./plan.ts";
import { compareAgent } from "./versions.ts";

/** Versions beside the hub's, for who only looks. */
export function describeVersions({ output }: CommandContext, clusters: readonly SeenCluster[], hub: string): string {
  const rows = clusters.map((cluster) => [
    output.safe(cluster.name),
    cluster.state,
    [...new Set(cluster.agents.flatMap(({ roles }) => roles))].join(",") || "-",
    listVersions(output, cluster),
    output.safe(hub),
    standingOf(cluster, hub),
  ]);
  return output.table(["NAME", "STATE", "LIVE", "AGENT", "HUB", "STANDING"], rows);
}

function listVersions(output: CommandContext["output"], { agents }: SeenCluster): string {
  return output.safe(versionsOf(agents).join(", ") || "-");
}

/** Compares each agent's version with the hub's; agents with the same result are listed once. */
export function standingOf({ agents }: SeenCluster, hub: string): string {
  return [...new Set(agents.map(({ version }) => compareAgent(version, hub)))].join(", ") || "-";
}

export interface Plan {
  readonly planned: readonly PlannedCluster[];
  readonly waves: readonly (readonly PlannedUpgrade[])[];
  readonly goal: Goal;
}

/** Prints a row for each cluster in the order of waves, then the clusters that need another step. */
export function describePlan({ output }: CommandContext, { planned, waves, goal }: Plan): string {
  const waveOf = numberWaves(waves);
  const sorted = planned.toSorted((one, other) => rank(one) - rank(other));
  const rows = sorted.map(({ cluster, action }) => [
    String(waveOf.get(cluster) ?? "-"),
    output.safe(cluster.name),
    listVersions(output, cluster),
    output.safe(goal.version),
    output.safe(describeAction(action)),
  ]);
  const notes = sorted.flatMap(({ cluster, action }) =>
    noteOf(cluster.name, action).map((line) => `${output.safe(line)}\n`),
  );
  const table = output.table(["WAVE", "NAME", "AGENT", "TO", "ACTION"], rows);
  return [table, ...(notes.length === 0 ? [] : ["\n", ...notes])].join("");

  function rank({ cluster }: PlannedCluster): number {
    return waveOf.get(cluster) ?? Number.MAX_SAFE_INTEGER;
  }
}

function numberWaves(waves: Plan["waves"]): ReadonlyMap<SeenCluster, number> {
  return new Map(waves.flatMap((wave, index) => wave.map(({ cluster }) => [cluster, index + 1] as const)));
}

function describeAction(action: Action): string {
  switch (action.is) {
    case "upgrade":
      return `upgrade ${action.upgrade.release.namespace}/${action.upgrade.release.name}`;
    case "current":
      return "none: up to date";
    case "edit":
      return "change by hand";
    case "unusable":
      return "can't be upgraded";
    default:
      return action satisfies never;
  }
}

function noteOf(name: string, action: Action): string[] {
  if (action.is === "unusable") return [`${name}: ${action.why}. ${action.hint}`];
  if (action.is !== "edit") return [];
  return [`${name}: change this in ${action.where}:`, ...action.lines.map((line) => `  ${line}`)];
}

/** For programs. */
export function toDocument({ planned, waves, goal }: Plan): object {
  const waveOf = numberWaves(waves);
  return {
    chartVersion: goal.chartVersion,
    version: goal.version,
    items: planned.map(({ cluster, action }) => ({
      name: cluster.name,
      agents: cluster.agents,
      wave: waveOf.get(cluster),
      action: toItem(action),
    })),
  };
}

function toItem(action: Action): object {
  if (action.is !== "upgrade") return action;
  const { namespace, name, revision } = action.upgrade.release;
  return { is: action.is, release: { namespace, name, revision }, roles: action.upgrade.roles };
}

// Where something is to be done. Nobody means all clusters by saying nothing.
import type { HubClient, Labels } from "@fairlead/contract";
import type { Command } from "commander";
import { cliErrors, usage } from "../../errors.ts";
import { collectText } from "../collect.ts";

export interface TargetOptions {
  readonly cluster?: readonly string[];
  readonly allClusters?: boolean;
  readonly clusterSelector?: string;
}

export function addTargetOptions(command: Command): Command {
  return command
    .option("--cluster <cluster>", "in this cluster; repeat for more", collectText)
    .option("--all-clusters", "in all clusters")
    .option("--cluster-selector <selector>", "in clusters with such labels: env=prod,tier!=edge");
}

export async function chooseClusters(
  hub: Pick<HubClient, "listClusters">,
  { cluster: names, allClusters = false, clusterSelector }: TargetOptions,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const ways = [names !== undefined, allClusters, clusterSelector !== undefined].filter(Boolean).length;
  if (ways !== 1) throw usage("Say where.", "Give one of --cluster, --cluster-selector and --all-clusters.");
  if (names) return [...new Set(names)];
  const isMeant = clusterSelector === undefined ? () => true : parseSelector(clusterSelector);
  const { items } = await hub.listClusters({ signal });
  const chosen = items.filter(({ labels }) => isMeant(labels)).map(({ name }) => name);
  if (chosen.length === 0) throw cliErrors.CLI_NO_CLUSTER_CHOSEN();
  return chosen;
}

/** `env=prod`, `tier!=edge`, `gpu` and `!gpu`, all of them together. */
export function parseSelector(text: string): (labels: Labels) => boolean {
  const tests = text.split(",").map((part) => parseRequirement(part.trim()));
  return (labels) => tests.every((fits) => fits(labels));
}

function parseRequirement(text: string): (labels: Labels) => boolean {
  const [, not, key = "", operator, value] = /^(!?)([\w./-]+?)(?:\s*(!=|==?)\s*([\w.-]*))?$/.exec(text) ?? [];
  if (key === "" || (not && operator))
    throw usage(`'${text}' isn't a condition on labels.`, "Write it like env=prod, tier!=edge, gpu or !gpu.");
  switch (operator) {
    case undefined:
      return (labels) => key in labels !== (not === "!");
    case "!=":
      return (labels) => labels[key] !== value;
    default:
      return (labels) => labels[key] === value;
  }
}

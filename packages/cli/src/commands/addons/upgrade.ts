import type { ClusterObject } from "@fairlead/doctor";
import { stringify } from "yaml";
import type { Command } from "../../command.ts";
import type { CommandContext, OpenContext } from "../../context.ts";
import { collectText } from "../collect.ts";
import { confirm } from "../confirm.ts";
import { addChartOptions, type ChartOptions } from "./chart-options.ts";
import { addWaveOptions, runWaves, type WaveOptions } from "./run-waves.ts";
import type { ClusterUpgrade } from "./upgrade-plan.ts";

interface Options extends ChartOptions, WaveOptions {
  readonly cluster: readonly string[];
  readonly showValues?: boolean;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

export function addAddonsUpgrade(addons: Command, open: OpenContext): void {
  const command = addons
    .command("upgrade")
    .formerly("addons upgrade")
    .description("Upgrade addons or change their values, after showing what changes and what is reset")
    .examples("fairlead addon upgrade keda --cluster east --values keda=mine.yaml --dry-run")
    .argument("<addon...>", "Names of the addons")
    .requiredOption("--cluster <cluster>", "Cluster to run in; can be repeated", collectText);
  addWaveOptions(addChartOptions(command))
    .option("--to <addon=version>", "Version to upgrade to (default: the catalogue's); can be repeated", collectText)
    .option("--show-values", "Print the Helm values of each step; they can contain secrets")
    .option("--dry-run", "Print the plan without carrying it out")
    .option("-y, --yes", "Don't ask for confirmation")
    .action((wanted: string[], options: Options, command: Command) => upgradeAddons(open(command), wanted, options));
}

async function upgradeAddons(context: CommandContext, wanted: readonly string[], options: Options): Promise<void> {
  const { output, signal, terminal } = context;
  const { openCharts } = await import("../../charts/index.ts");
  const { planClusterUpgrade } = await import("./upgrade-plan.ts");
  const { describeUpgrade } = await import("./upgrade-text.ts");
  await using charts = await openCharts({ signal });
  const plans: ClusterUpgrade[] = [];
  for (const cluster of new Set(options.cluster))
    plans.push(await planClusterUpgrade(context, { cluster, wanted, options, charts }));
  const told = plans.map((plan) => describeUpgrade(context, plan) + describeValues(plan, options)).join("");
  if (options.dryRun) return output.answer({ items: plans.map(toItem) }, () => told);
  output.remark(told);
  const pending = plans.filter(({ steps }) => steps.length > 0);
  if (pending.length === 0) return output.answer({ items: [] }, () => "There is nothing to upgrade.\n");
  const { requireNoSecrets } = await import("./require-harmless.ts");
  for (const step of pending.flatMap(({ steps }) => steps)) requireNoSecrets(step);
  await confirm(terminal, {
    isYes: options.yes,
    action: `upgrade in ${pending.length} clusters`,
    question: pending.length === 1 ? "Upgrade this?" : `Upgrade this in ${pending.length} clusters?`,
  });
  const { toUpgradeFlow } = await import("./upgrade-flow.ts");
  const work = pending.map(({ cluster, steps }) => ({
    cluster,
    flow: toUpgradeFlow({ steps }, options),
    steps: steps.map(({ addon, way, from }) => ({
      addon,
      way,
      ...(from.application && { place: placeOf(from.application) }),
    })),
  }));
  await runWaves(context, { options, work });
}

function placeOf({ metadata: { namespace = "argocd", name } }: ClusterObject) {
  return { namespace, name };
}

function describeValues({ steps }: ClusterUpgrade, { showValues }: Options): string {
  if (!showValues) return "";
  return steps.map(({ addon, values }) => `\n# ${addon}\n${stringify(values ?? {})}`).join("");
}

/** Values stay out of it: they may hold secrets, and such an answer ends in logs of pipelines. */
function toItem({ steps, ...plan }: ClusterUpgrade) {
  return {
    ...plan,
    steps: steps.map(({ addon, way, chart, digest, from, objects, doubts }) => ({
      addon,
      way,
      chart,
      digest,
      objects,
      doubts,
      from: { chart: from.chart, version: from.version },
    })),
  };
}

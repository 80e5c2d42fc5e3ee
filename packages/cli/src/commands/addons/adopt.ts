import { Option } from "commander";
import type { Command } from "../../command.ts";
import type { CommandContext, OpenContext } from "../../context.ts";
import { confirm } from "../confirm.ts";
import type { ClusterAdoption } from "./adoption-plan.ts";
import { addChartOptions, type ChartOptions } from "./chart-options.ts";
import { addHealthOption, runWaves } from "./run-waves.ts";
import type { HealthOptions } from "./to-flow.ts";

interface Options extends ChartOptions, HealthOptions {
  readonly cluster: string;
  readonly through?: "argocd" | "helm";
  readonly keepRelease?: boolean;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

export function addAddonsAdopt(addons: Command, open: OpenContext): void {
  const command = addons
    .command("adopt")
    .formerly("addons adopt")
    .description("Take over an addon that was installed with Helm, without restarting its pods")
    .examples("fairlead addon adopt keda --cluster east")
    .argument("<addon>", "Name of the addon")
    .requiredOption("--cluster <cluster>", "Name of the cluster");
  addHealthOption(addChartOptions(command))
    .addOption(
      new Option(
        "--through <way>",
        "Installer that manages it afterwards (default: argocd where it runs, otherwise helm)",
      ).choices(["argocd", "helm"]),
    )
    .option("--keep-release", "Keep Helm's record of the release when Argo CD takes over")
    .option("--dry-run", "Print the plan without carrying it out")
    .option("-y, --yes", "Don't ask for confirmation")
    .action((addon: string, options: Options, command: Command) => adoptAddon(open(command), addon, options));
}

async function adoptAddon(context: CommandContext, addon: string, options: Options): Promise<void> {
  const { output, signal, terminal } = context;
  const { cluster } = options;
  const { openCharts } = await import("../../charts/index.ts");
  const { planClusterAdoption } = await import("./adoption-plan.ts");
  const { describeAdoption } = await import("./adoption-text.ts");
  const { toAdoptionFlow } = await import("./adoption-flow.ts");
  const { requireHarmless } = await import("./require-harmless.ts");
  await using charts = await openCharts({ signal });
  const plan = await planClusterAdoption(context, { cluster, addon, options, charts });
  const told = describeAdoption(context, plan, options);
  if (options.dryRun) output.answer(toItem(plan), () => told);
  else output.remark(told);
  requireHarmless(plan);
  if (options.dryRun) return;
  await confirm(terminal, {
    isYes: options.yes,
    action: `adopt '${addon}' in '${cluster}'`,
    question: `Adopt this in '${output.safe(cluster)}'?`,
  });
  const place = { namespace: plan.argo.namespace, name: addon };
  const work = [{ cluster, flow: toAdoptionFlow(plan, options), steps: [{ addon, way: plan.step.way, place }] }];
  await runWaves(context, { options: { ...options, maxParallel: 1 }, work });
  if (plan.step.way !== "argocd" || options.keepRelease) return;
  const { forgetRelease } = await import("./forget-release.ts");
  await forgetRelease(context, plan);
}

/** Without values, which may hold secrets. */
function toItem({ step, ...plan }: ClusterAdoption) {
  const { addon, way, chart } = step;
  return { ...plan, step: { addon, way, chart } };
}

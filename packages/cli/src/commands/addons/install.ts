import type { Command } from "../../command.ts";
import type { CommandContext, OpenContext } from "../../context.ts";
import { concludeDryRun } from "../../foresight/index.ts";
import { collectText } from "../collect.ts";
import { confirm } from "../confirm.ts";
import { addPlanOptions, type ClusterPlan, makePlan, type PlanOptions } from "./make-plan.ts";
import { describePlan } from "./plan-text.ts";
import { addWaveOptions, runWaves, type WaveOptions } from "./run-waves.ts";

interface Options extends PlanOptions, WaveOptions {
  readonly cluster: readonly string[];
  readonly yes?: boolean;
  readonly dryRun?: boolean;
}

export function addAddonsInstall(addons: Command, open: OpenContext): void {
  const command = addons
    .command("install")
    .formerly("addons install")
    .description("Install addons and the addons that they need, and wait until they are healthy")
    .examples("fairlead addon install keda elasti --cluster east")
    .argument("<addon...>", "Names of the addons")
    .requiredOption("--cluster <cluster>", "Cluster to run in; can be repeated", collectText);
  addWaveOptions(addPlanOptions(command))
    .option("--dry-run", "Print what would change without changing it, and exit with 1 if anything would")
    .option("-y, --yes", "Don't ask for confirmation")
    .action((wanted: string[], options: Options, command: Command) => installAddons(open(command), wanted, options));
}

async function installAddons(context: CommandContext, wanted: readonly string[], options: Options): Promise<void> {
  const { output, terminal } = context;
  const plans: ClusterPlan[] = [];
  for (const cluster of new Set(options.cluster)) plans.push(await makePlan(context, { cluster, wanted, options }));
  const pending = plans.filter(({ steps }) => steps.length > 0);
  if (options.dryRun) {
    output.answer({ items: plans }, () => plans.map((plan) => describePlan(context, plan)).join(""));
    return concludeDryRun(context, pending.length > 0);
  }
  for (const plan of plans) output.remark(describePlan(context, plan));
  if (pending.length === 0) return output.answer({ items: [] }, () => "All of it is there.\n");
  await confirm(terminal, {
    isYes: options.yes,
    action: `install in ${pending.length} clusters`,
    question: pending.length === 1 ? "Install this?" : `Install this in ${pending.length} clusters?`,
  });
  // The catalogue comes with it, which other commands start without.
  const { toFlow } = await import("./to-flow.ts");
  const work = pending.map((plan) => ({
    cluster: plan.cluster,
    flow: toFlow(plan, options),
    steps: plan.steps.map(({ addon, way }) => ({ addon, way, place: { namespace: plan.argo.namespace, name: addon } })),
  }));
  await runWaves(context, { options, work });
}

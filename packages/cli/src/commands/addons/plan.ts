import { stringify } from "yaml";
import type { Command } from "../../command.ts";
import type { CommandContext, OpenContext } from "../../context.ts";
import { addPlanOptions, type ClusterPlan, makePlan, type PlanOptions } from "./make-plan.ts";
import { describePlan } from "./plan-text.ts";

interface Options extends PlanOptions {
  readonly cluster: string;
  readonly showValues?: boolean;
}

export function addAddonsPlan(addons: Command, open: OpenContext): void {
  const command = addons
    .command("plan")
    .formerly("addons plan")
    .description("Show what would be installed in a cluster, in which order and with which values")
    .examples("fairlead addon plan keda elasti --cluster east")
    .argument("<addon...>", "Names of the addons")
    .requiredOption("--cluster <cluster>", "Name of the cluster");
  addPlanOptions(command)
    .option("--show-values", "Print the Helm values of each step; they can contain secrets")
    .action((wanted: string[], options: Options, command: Command) => planAddons(open(command), wanted, options));
}

async function planAddons(context: CommandContext, wanted: readonly string[], options: Options): Promise<void> {
  const plan = await makePlan(context, { wanted, options, cluster: options.cluster });
  context.output.answer(plan, () => `${describePlan(context, plan)}${options.showValues ? describeValues(plan) : ""}`);
}

function describeValues({ steps }: ClusterPlan): string {
  return steps.map(({ addon, values }) => `\n# ${addon}\n${stringify(values ?? {})}`).join("");
}

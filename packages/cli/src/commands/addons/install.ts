import { randomUUID } from "node:crypto";
import type { Command } from "commander";
import type { CommandContext, OpenContext } from "../../context.ts";
import { usage } from "../../errors.ts";
import { collectText } from "../collect.ts";
import { confirm } from "../confirm.ts";
import { finishRuns } from "../runs/index.ts";
import { addPlanOptions, type ClusterPlan, makePlan, type PlanOptions } from "./make-plan.ts";
import { describePlan } from "./plan-text.ts";

interface Options extends PlanOptions {
  readonly cluster: readonly string[];
  readonly atOnce: number;
  readonly yes?: boolean;
}

export function addAddonsInstall(addons: Command, open: OpenContext): void {
  const command = addons
    .command("install")
    .description("install addons and those that they need, and wait until they are healthy")
    .argument("<addon...>", "the addons that are wanted")
    .requiredOption("--cluster <cluster>", "in this cluster; repeat for more", collectText);
  addPlanOptions(command)
    .option("--at-once <number>", "in so many clusters at once; the next ones follow when all went well", parseCount, 1)
    .option("-y, --yes", "don't ask")
    .action((wanted: string[], options: Options, command: Command) => installAddons(open(command), wanted, options));
}

async function installAddons(context: CommandContext, wanted: readonly string[], options: Options): Promise<void> {
  const { output, terminal } = context;
  const plans: ClusterPlan[] = [];
  for (const cluster of new Set(options.cluster)) plans.push(await makePlan(context, { cluster, wanted, options }));
  for (const plan of plans) output.remark(describePlan(context, plan));
  const pending = plans.filter(({ steps }) => steps.length > 0);
  if (pending.length === 0) return output.answer({ items: [] }, () => "All of it is there.\n");
  await confirm(terminal, {
    ...{ isYes: options.yes, action: `install in ${pending.length} clusters` },
    question: pending.length === 1 ? "Install this?" : `Install this in ${pending.length} clusters?`,
  });
  // A wave that fails ends it: `finishRuns` throws, and later clusters stay as they are.
  for (let from = 0; from < pending.length; from += options.atOnce) {
    await installWave(context, pending.slice(from, from + options.atOnce));
  }
}

async function installWave(context: CommandContext, plans: readonly ClusterPlan[]): Promise<void> {
  // The catalogue comes with it, which other commands start without.
  const { toFlow } = await import("./to-flow.ts");
  const { signal } = context;
  const hub = await context.hub();
  const runs = await Promise.all(
    plans.map((plan) =>
      hub.createCommand(
        { kind: "flow", spec: toFlow(plan), cluster: plan.cluster, idempotencyKey: randomUUID() },
        { signal },
      ),
    ),
  );
  await finishRuns(context, hub, runs, { isShown: true });
}

function parseCount(text: string): number {
  const count = Number(text);
  if (Number.isInteger(count) && count >= 1 && count <= 100) return count;
  throw usage(`'${text}' isn't a number of clusters.`, "It is a number from 1 to 100.");
}

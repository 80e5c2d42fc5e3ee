// `fairlead rollout …`: looks at one, and steers it.
import { randomUUID } from "node:crypto";
import type { HubClient, Rollout as Shown } from "@fairlead/contract";
import type { Command } from "../../command.ts";
import type { CommandContext, OpenContext } from "../../context.ts";
import { finishRollout, listAll } from "./finish-rollout.ts";
import { describeRollout, formatRolloutState } from "./rollout-text.ts";
import { addRolloutList } from "./rollouts.ts";
import { explainNotBegun } from "./why-not-begun.ts";

interface WaitOptions {
  readonly wait?: boolean;
  readonly follow?: boolean;
}

interface RetryOptions extends WaitOptions {
  readonly withSkipped?: boolean;
  readonly skipUnusable?: boolean;
}

export function addRollout(program: Command, open: OpenContext): void {
  const rollout = program.command("rollout").description("Manage rollouts: runs in several clusters");
  const add = (name: string, description: string): Command =>
    rollout.command(name).description(description).argument("<rollout>", "ID of the rollout, for example rol_7c2d…");
  addRolloutList(rollout, open);
  addWaitOptions(
    add("get", "Show a rollout with its clusters")
      .examples("fairlead rollout get rol_7c2d… --wait")
      .formerly("rollout show"),
  ).action((id: string, options: WaitOptions, command: Command) => show(open(command), id, options));
  const steer = (name: string, description: string, how: "pauseRollout" | "resumeRollout" | "cancelRollout"): void => {
    add(name, description)
      .examples(`fairlead rollout ${name} rol_7c2d…`)
      .action((id: string, _options: object, command: Command) => change(open(command), id, how));
  };
  steer("pause", "Pause a rollout: runs in progress continue, and no new ones start", "pauseRollout");
  steer("resume", "Resume a paused rollout", "resumeRollout");
  steer("cancel", "Cancel all runs of a rollout gracefully; cancel it again to stop them at once", "cancelRollout");
  addWaitOptions(
    add("retry", "Run the same again in the clusters that failed")
      .examples("fairlead rollout retry rol_7c2d… --with-skipped --wait")
      .option("--with-skipped", "Include clusters that were skipped or not reached")
      .option("--skip-unusable", "Skip clusters that are offline or can't run this kind"),
  ).action((id: string, options: RetryOptions, command: Command) => retry(open(command), id, options));
}

function addWaitOptions(command: Command): Command {
  return command
    .formerOption("-w", "--wait")
    .option("--wait", "Wait for the end, and exit with 10 if a run didn't succeed")
    .option("--follow", "Wait for the end, and print the logs meanwhile");
}

async function show(context: CommandContext, id: string, { wait, follow = false }: WaitOptions): Promise<void> {
  const { output, signal } = context;
  const hub = await context.hub();
  const rollout = await hub.getRollout(id, { signal });
  if (wait || follow) return finishRollout(context, hub, rollout, { isShown: follow });
  const items = await listAll(hub, id, {}, signal);
  const delays = output.isJson ? undefined : await explainNotBegun(context, { hub, clusters: items });
  output.answer({ ...rollout, items }, () => describeRollout(context, { rollout, clusters: items, delays }));
}

async function change(
  context: CommandContext,
  id: string,
  how: keyof Pick<HubClient, "pauseRollout" | "resumeRollout" | "cancelRollout">,
): Promise<void> {
  const { output, signal } = context;
  const rollout: Shown = await (await context.hub())[how](id, { signal });
  output.answer(rollout, () => `${output.safe(rollout.id)} is ${formatRolloutState(rollout)}.\n`);
}

async function retry(context: CommandContext, id: string, options: RetryOptions): Promise<void> {
  const { output, signal } = context;
  const { wait, follow = false, withSkipped: skipped, skipUnusable } = options;
  const hub = await context.hub();
  // A request that is sent again because its answer was lost must not make a second rollout.
  const rollout = await hub.retryRollout(id, { skipped, skipUnusable, idempotencyKey: randomUUID() }, { signal });
  if (wait || follow) return finishRollout(context, hub, rollout, { isShown: follow });
  output.answer(rollout, () => `${output.safe(rollout.id)} repeats ${output.safe(id)}.\n`);
}

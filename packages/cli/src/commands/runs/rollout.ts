// `fairlead rollout …`: looks at one, and steers it.
import { randomUUID } from "node:crypto";
import type { HubClient, Rollout as Shown } from "@fairlead/contract";
import type { Command } from "../../command.ts";
import type { CommandContext, OpenContext } from "../../context.ts";
import { addRolloutArgument, findRolloutId, type LastOptions } from "./find-id.ts";
import { finishRollout, listAll } from "./finish-rollout.ts";
import { describeRollout, formatRolloutState } from "./rollout-text.ts";
import { addRolloutList } from "./rollouts.ts";
import { watchRollout } from "./watch-rollout.ts";
import { explainNotBegun } from "./why-not-begun.ts";

interface WaitOptions extends LastOptions {
  readonly wait?: boolean;
  readonly follow?: boolean;
}

interface ShowOptions extends WaitOptions {
  readonly watch?: boolean;
}

interface RetryOptions extends WaitOptions {
  readonly withSkipped?: boolean;
  readonly skipUnusable?: boolean;
}

export function addRollout(program: Command, open: OpenContext): void {
  const rollout = program.command("rollout").description("Manage rollouts: runs in several clusters");
  const add = (name: string, description: string): Command =>
    addRolloutArgument(rollout.command(name).description(description));
  addRolloutList(rollout, open);
  addWaitOptions(
    add("get", "Show a rollout with its clusters")
      .option("--watch", "Print the rollout's clusters again as they change, until it ends")
      .prints("rollout")
      .examples("fairlead rollout get rol_7c2d… --wait")
      .formerly("rollout show"),
  ).action((typed: string | undefined, options: ShowOptions, command: Command) => show(open(command), typed, options));
  const steer = (name: string, description: string, how: "pauseRollout" | "resumeRollout" | "cancelRollout"): void => {
    add(name, description)
      .examples(`fairlead rollout ${name} rol_7c2d…`)
      .action((typed: string | undefined, options: LastOptions, command: Command) =>
        change(open(command), { typed, options, how }),
      );
  };
  steer("pause", "Pause a rollout: runs in progress continue, and no new ones start", "pauseRollout");
  steer("resume", "Resume a paused rollout", "resumeRollout");
  steer("cancel", "Cancel all runs of a rollout gracefully; cancel it again to stop them at once", "cancelRollout");
  addWaitOptions(
    add("retry", "Run the same again in the clusters that failed")
      .examples("fairlead rollout retry rol_7c2d… --with-skipped --wait")
      .option("--with-skipped", "Include clusters that were skipped or not reached")
      .option("--skip-unusable", "Skip clusters that are offline or can't run this kind"),
  ).action((typed: string | undefined, options: RetryOptions, command: Command) =>
    retry(open(command), typed, options),
  );
}

function addWaitOptions(command: Command): Command {
  return command
    .formerOption("-w", "--wait")
    .option("--wait", "Wait for the end, and exit with 10 if a run didn't succeed")
    .option("--follow", "Wait for the end, and print the logs meanwhile");
}

async function show(context: CommandContext, typed: string | undefined, options: ShowOptions): Promise<void> {
  const { output, signal } = context;
  const { wait, follow = false } = options;
  const id = await findRolloutId(context, typed, options);
  const hub = await context.hub();
  if (options.watch) return watchRollout(context, hub, id);
  const rollout = await hub.getRollout(id, { signal });
  if (wait || follow) return finishRollout(context, hub, rollout, { isShown: follow });
  const items = await listAll(hub, id, {}, signal);
  const delays = output.isDocument ? undefined : await explainNotBegun(context, { hub, clusters: items });
  output.answer({ ...rollout, items }, () => describeRollout(context, { rollout, clusters: items, delays }));
}

async function change(
  context: CommandContext,
  asked: {
    readonly typed: string | undefined;
    readonly options: LastOptions;
    readonly how: keyof Pick<HubClient, "pauseRollout" | "resumeRollout" | "cancelRollout">;
  },
): Promise<void> {
  const { output, signal } = context;
  const { typed, options, how } = asked;
  const id = await findRolloutId(context, typed, options);
  const rollout: Shown = await (await context.hub())[how](id, { signal });
  output.answer(rollout, () => `${output.safe(rollout.id)} is ${formatRolloutState(rollout)}.\n`);
}

async function retry(context: CommandContext, typed: string | undefined, options: RetryOptions): Promise<void> {
  const { output, signal } = context;
  const id = await findRolloutId(context, typed, options);
  const { wait, follow = false, withSkipped: skipped, skipUnusable } = options;
  const hub = await context.hub();
  // A request that is sent again because its answer was lost must not make a second rollout.
  const rollout = await hub.retryRollout(id, { skipped, skipUnusable, idempotencyKey: randomUUID() }, { signal });
  if (wait || follow) return finishRollout(context, hub, rollout, { isShown: follow });
  output.answer(rollout, () => `${output.safe(rollout.id)} repeats ${output.safe(id)}.\n`);
}

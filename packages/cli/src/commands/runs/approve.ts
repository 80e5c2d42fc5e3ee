import type { CommandDetail } from "@fairlead/contract";
import type { Command } from "../../command.ts";
import type { CommandContext, OpenContext } from "../../context.ts";
import { cliErrors, usage } from "../../errors.ts";
import { canAsk } from "../../terminal.ts";
import { confirm } from "../confirm.ts";
import { findRunId } from "./find-id.ts";
import { formatState } from "./run-text.ts";
import { describePlan, describeSpec } from "./show.ts";

interface ApproveOptions {
  readonly digest?: string;
  readonly message?: string;
  readonly toPlan?: boolean;
  readonly yes?: boolean;
}

export function addRunApprove(run: Command, open: OpenContext): void {
  run
    .command("approve")
    .description("Approve a run's plan, or the planning of a proposed run")
    .examples("fairlead run approve cmd_3h7k…")
    .argument("<run>", "ID of the run or its beginning, for example cmd_3h7k…")
    .option("--digest <digest>", "Digest of the plan that you reviewed (default: show the plan and ask)")
    .option("--to-plan", "Approve the planning of a proposed run, after showing its spec and asking")
    .option("-y, --yes", "Don't ask for confirmation; only with --to-plan")
    .option("-m, --message <text>", "Reason, kept in the run's history")
    .action((id: string, options: ApproveOptions, command: Command) =>
      options.toPlan ? approvePlanning(open(command), id, options) : approveRun(open(command), id, options),
    );
}

async function approvePlanning(
  context: CommandContext,
  typed: string,
  { digest, message, yes }: ApproveOptions,
): Promise<void> {
  if (digest !== undefined)
    throw usage("--to-plan and --digest can't be combined.", "A run without a plan has no digest yet.");
  const { output, terminal, signal } = context;
  const id = await findRunId(context, typed);
  const hub = await context.hub();
  const run = await hub.getCommand(id, { signal });
  if (run.state !== "awaiting-plan-approval") throw cliErrors.CLI_NOTHING_TO_APPROVE({ state: run.state });
  output.notice(describeSpec(output, run));
  await confirm(terminal, {
    isYes: yes,
    action: "approve planning",
    question: `Let ${output.safe(run.cluster)} plan this, which ${output.safe(run.requester)} proposed?`,
  });
  const approved = await hub.approvePlanning(id, { comment: message }, { signal });
  output.answer(approved, () => `${output.safe(approved.id)} is ${formatState(approved)}, to be planned.\n`);
}

async function approveRun(context: CommandContext, typed: string, { digest, message }: ApproveOptions): Promise<void> {
  const { output, signal } = context;
  // Nobody approves what he wasn't shown.
  if (digest === undefined && !canAsk(context.terminal)) throw cliErrors.CLI_DIGEST_NEEDED();
  const id = await findRunId(context, typed);
  const hub = await context.hub();
  const request = { digest: digest ?? (await show(context, await hub.getCommand(id, { signal }))), comment: message };
  const run = await hub.approveCommand(id, request, { signal });
  output.answer(run, () => `${output.safe(run.id)} is ${formatState(run)}.\n`);
}

/** Resolves with the digest of what was shown and agreed to. */
async function show({ output, terminal }: CommandContext, run: CommandDetail): Promise<string> {
  const { id, state, approval } = run;
  if (state === "awaiting-plan-approval") throw cliErrors.CLI_APPROVE_TO_PLAN();
  if (state !== "awaiting-approval" || approval?.digest === undefined)
    throw cliErrors.CLI_NOTHING_TO_APPROVE({ state });
  output.notice(describePlan(output, run));
  await confirm(terminal, {
    isYes: undefined,
    action: "approve a plan",
    question: `Approve this plan of ${output.safe(id)}, for ${output.safe(run.target)} in ${output.safe(run.cluster)}?`,
  });
  return approval.digest;
}

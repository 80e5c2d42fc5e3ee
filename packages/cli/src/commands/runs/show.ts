import type { CommandDetail, CommandStep } from "@fairlead/contract";
import { stringify } from "yaml";
import type { Command } from "../../command.ts";
import type { CommandContext, OpenContext } from "../../context.ts";
import type { Output } from "../../output/index.ts";
import { addRunArgument, findRunId, type LastOptions } from "./find-id.ts";
import { awaitedOf, describeReason, describeWaiting, formatState } from "./run-text.ts";

export function addRunShow(run: Command, open: OpenContext): void {
  addRunArgument(
    run
      .command("get")
      .prints("run")
      .formerly("run show")
      .description("Show a run with its history and result")
      .examples("fairlead run get cmd_3h7k…", "fairlead run get --last"),
  ).action((typed: string | undefined, options: LastOptions, command: Command) =>
    showRun(open(command), typed, options),
  );
}

async function showRun(context: CommandContext, typed: string | undefined, options: LastOptions): Promise<void> {
  const { output, signal } = context;
  const id = await findRunId(context, typed, options);
  const run = await (await context.hub()).getCommand(id, { signal });
  output.answer(run, () => describeRun(context, run));
}

export function describePlan(output: Output, { plan }: CommandDetail): string {
  return plan === undefined ? "" : `Plan:\n${describeJson(output, plan)}`;
}

function describeRun(context: CommandContext, run: CommandDetail): string {
  const { output } = context;
  const {
    id,
    cluster,
    kind,
    target,
    requester,
    deadlineAt,
    claims,
    retryOf,
    trouble,
    waiting,
    logBytes,
    serviceAccount,
    template,
  } = run;
  const facts: [string, string | undefined][] = [
    ["Run", output.safe(id)],
    ["Cluster", output.safe(cluster)],
    ["Kind", kind],
    ["Target", output.safe(target)],
    ["State", formatState(run)],
    ["Waits", waiting && describeReason(context, waiting)],
    ["Asked by", output.safe(requester)],
    ["Template", template && output.safe(`${template.name}, revision ${template.revision}`)],
    ["Runs as", serviceAccount && output.safe(serviceAccount)],
    ["Begins by", deadlineAt],
    ["Claims", String(claims)],
    ["Log", `${logBytes} bytes`],
    ["Repeats", retryOf && output.safe(retryOf)],
    ...proposalFacts(output, run),
    ...approvalFacts(output, run),
    ["Trouble", trouble && `${output.safe(trouble.message)} (${output.safe(trouble.code)})`],
    ["Hint", trouble?.hint && output.safe(trouble.hint)],
  ];
  const approval = awaitedOf(run);
  const known = facts.flatMap(([name, value]) => (value ? [[`${name}:`, value]] : []));
  return [
    output.table(undefined, known),
    `\nHistory:\n${output.table(
      ["TIME", "STATE", "BY", "WHY"],
      run.history.map((step) => toStep(output, step)),
    )}`,
    run.parameters === undefined ? "" : `\nParameters:\n${describeJson(output, run.parameters)}`,
    run.plan === undefined ? "" : `\n${describePlan(output, run)}`,
    run.result === undefined ? "" : `\nResult:\n${describeJson(output, run.result)}`,
    approval ? `\n${describeWaiting(context, { ...run, approval })}\n` : "",
  ].join("");
}

/** What an approver of planning looks at. */
export function describeSpec(output: Output, { spec }: CommandDetail): string {
  return spec === undefined ? "" : `Spec:\n${describeJson(output, spec)}`;
}

function proposalFacts(output: Output, { proposal }: CommandDetail): [string, string | undefined][] {
  if (proposal === undefined) return [];
  const { isVouched, planApprovedBy, held } = proposal;
  const by = planApprovedBy.map((name) => output.safe(name)).join(", ");
  return [
    ["Proposal", isVouched ? "its template vouches for its code" : "its requester may not create such runs"],
    ["Held back", held && `${output.safe(held.message)} (${output.safe(held.code)})`],
    ["Planning approved", by === "" ? undefined : `by ${by}`],
  ];
}

function approvalFacts(output: Output, { approval, approvals = [] }: CommandDetail): [string, string | undefined][] {
  if (approval === undefined) return [];
  const { required, given, fourEyes, digest, until, round = 1 } = approval;
  const those = approvals.filter((one) => (one.round ?? 1) === round);
  const by = those.map((one) => output.safe(one.by)).join(", ");
  return [
    ["Plan", round > 1 ? String(round) : undefined],
    ["Approvals", `${given} of ${required}${by === "" ? "" : `, by ${by}`}${fourEyes ? "" : ", also by who asked"}`],
    ["Plan's digest", digest && output.safe(digest)],
    ["To be approved", until && `until ${until}`],
  ];
}

function toStep(output: Output, { at, to, actor, reason }: CommandStep): string[] {
  return [at, to, output.safe(actor), output.safe(reason)];
}

/** Shows text of others: each line is made safe for a terminal. */
function describeJson(output: Output, result: unknown): string {
  const lines = stringify(result, { lineWidth: 0 }).trimEnd().split("\n");
  return lines.map((line) => `  ${line === "" ? "" : output.safe(line)}\n`).join("");
}

import type { CommandApproval, CommandDetail, CommandWaiting, Command as Run } from "@fairlead/contract";
import type { CommandContext } from "../../context.ts";
import { formatSpan, type Output } from "../../output/index.ts";

export function runHeading({ isWide }: Pick<Output, "isWide">): readonly string[] {
  const heading = ["RUN", "CLUSTER", "KIND", "TARGET", "STATE", "AGE", "TOOK", "BY"];
  return isWide ? [...heading, "NAMESPACE", "RUNS-AS", "TEMPLATE", "CREATED"] : heading;
}

export function toRow({ output, terminal }: Pick<CommandContext, "output" | "terminal">, run: Run): string[] {
  const { id, cluster, kind, target, createdAt, finishedAt, requester } = run;
  const since = (at: string): string => formatSpan(terminal.now() - Date.parse(at));
  const took = finishedAt === undefined ? "-" : formatSpan(Date.parse(finishedAt) - Date.parse(createdAt));
  return [
    output.safe(id),
    output.safe(cluster),
    kind,
    output.safe(target),
    formatState(run),
    since(createdAt),
    took,
    output.safe(requester),
    ...(output.isWide ? moreOf({ output }, run) : []),
  ];
}

function moreOf(
  { output }: Pick<CommandContext, "output">,
  { namespace, serviceAccount, template, createdAt }: Run,
): string[] {
  return [output.safe(namespace), output.safe(serviceAccount), output.safe(template?.name), createdAt];
}

export function formatState({ state, cancellation, dryRun, approval }: Run): string {
  const wished = cancellation === undefined ? "" : ", to be cancelled";
  const isAwaiting = state === "awaiting-approval" && approval !== undefined;
  const missing = isAwaiting && approval.required > 1 ? ` (${approval.given} of ${approval.required})` : "";
  return `${state}${missing}${wished}${dryRun ? " (dry run)" : ""}`;
}

/** Says what the run waits for, and how to give it. */
export function describeWaiting(
  { output }: Pick<CommandContext, "output">,
  run: Pick<Run, "id" | "cluster" | "approval">,
): string {
  const id = output.safe(run.id);
  const approve = `fairlead run approve ${id}${run.approval?.isToPlan ? " --to-plan" : ""}`;
  return [
    `${output.safe(run.cluster)}: ${describeApprovers({ output }, run.approval)}.`,
    `  See it by 'fairlead run get ${id}', and answer by '${approve}' or 'fairlead run reject ${id}'.`,
  ].join("\n");
}

/** What the run waits for now: approval of its plan, or approval to be planned. Undefined: neither. */
export function awaitedOf({
  state,
  approval,
  proposal,
}: Pick<Run, "state" | "approval" | "proposal">): CommandApproval | undefined {
  if (state === "awaiting-approval") return approval;
  if (state !== "awaiting-plan-approval") return undefined;
  return { required: 1, given: 0, fourEyes: true, isToPlan: true, until: proposal?.until };
}

/** Becomes another text with each approval, and when something else is awaited. */
export function keyOfApproval({ isToPlan, given, round = 1 }: CommandApproval): string {
  return `${isToPlan ? "to plan" : `plan ${round}`} ${given}`;
}

/** Says whom the run waits for, and until when. */
export function describeApprovers(
  { output }: Pick<CommandContext, "output">,
  { required, given, fourEyes, until, isToPlan, round = 1 }: CommandApproval = {
    required: 1,
    given: 0,
    fourEyes: false,
  },
): string {
  const limit = until ? `, until ${output.safe(until)}` : "";
  if (isToPlan) return `waits for somebody who may create such runs to approve planning it${limit}`;
  const who = fourEyes ? "somebody who didn't ask for it" : "somebody";
  const whose = required === 1 ? who : `${required - given} of ${required} people`;
  return `waits for ${whose} to approve ${round > 1 ? `plan ${round}` : "the plan"}${limit}`;
}

/** Says why no agent has taken it yet: `the cluster has been offline for 3m`. */
export function describeReason(
  { output, terminal }: Pick<CommandContext, "output" | "terminal">,
  { for: what, clusterState, since, command }: CommandWaiting,
): string {
  switch (what) {
    case "cluster":
      return clusterState === "never-connected"
        ? "no agent of the cluster has connected yet"
        : `the cluster has been ${clusterState ?? "away"}${since ? ` for ${formatSpan(terminal.now() - Date.parse(since))}` : ""}`;
    case "agent":
      return "none of the cluster's connected agents runs commands";
    case "target":
      return `an earlier run with the same target hasn't ended${command ? ` (${output.safe(command)})` : ""}`;
    case "turn":
      return "the cluster's agent hasn't taken it yet";
  }
}

/** Why no agent has taken the run, and until when one may. Undefined for a run that waits for no agent. */
export function describeDelay(
  context: Pick<CommandContext, "output" | "terminal">,
  { state, waiting, deadlineAt }: Pick<CommandDetail, "state" | "waiting" | "deadlineAt">,
): string | undefined {
  if (waiting === undefined || (state !== "queued" && state !== "approved")) return undefined;
  const left = formatSpan(Date.parse(deadlineAt) - context.terminal.now());
  return `${state}: ${describeReason(context, waiting)}. The run expires in ${left} unless an agent takes it.`;
}

/** A line or two on how it ended. */
export function describeOutcome({ output }: Pick<CommandContext, "output">, run: CommandDetail): string {
  const { id, cluster, state, trouble } = run;
  const colour = state === "succeeded" ? output.colors.green : output.colors.red;
  const lines = [`${output.safe(cluster)}: ${colour(formatState(run))} (${output.safe(id)})`];
  if (trouble) lines.push(`  ${output.safe(trouble.message)} (${output.safe(trouble.code)})`);
  if (trouble?.hint) lines.push(`  ${output.safe(trouble.hint)}`);
  return `${lines.join("\n")}\n`;
}

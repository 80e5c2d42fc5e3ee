import type { Rollout, RolloutCluster, RolloutPreview } from "@fairlead/contract";
import type { CommandContext } from "../../context.ts";
import { formatSpan } from "../../output/index.ts";
import { describeApprovers } from "./run-text.ts";
import type { Delay } from "./why-not-begun.ts";

type Here = Pick<CommandContext, "output" | "terminal">;

export const rolloutHeading: readonly string[] = [
  "ROLLOUT",
  "KIND",
  "TARGET",
  "STATE",
  "WAVE",
  "DONE",
  "FAILED",
  "AGE",
  "BY",
];

export function toRolloutRow({ output, terminal }: Here, rollout: Rollout): string[] {
  const { id, kind, target, wave, waves, clusters, createdAt, requester } = rollout;
  const { all, succeeded, failed, skipped } = clusters;
  return [
    output.safe(id),
    kind,
    output.safe(target),
    formatRolloutState(rollout),
    `${wave}/${waves}`,
    `${succeeded + failed + skipped}/${all}`,
    String(failed),
    formatSpan(terminal.now() - Date.parse(createdAt)),
    output.safe(requester),
  ];
}

export function formatRolloutState({ state, pause, dryRun, cancellation }: Rollout): string {
  const why = pause?.why === "between-waves" ? " between waves" : "";
  const towards = state === "stopping" && cancellation !== undefined ? ", to be cancelled" : "";
  return `${state}${why}${towards}${dryRun ? " (dry run)" : ""}`;
}

/** `delays`: why no agent has taken a cluster's run, by cluster. */
export function clusterTable(
  { output }: Pick<Here, "output">,
  clusters: readonly RolloutCluster[],
  delays: ReadonlyMap<string, Delay> = new Map(),
): string {
  return output.table(
    clusterHeading,
    clusters.map((cluster) => toClusterRow({ output }, cluster, delays.get(cluster.cluster))),
  );
}

export const clusterHeading: readonly string[] = ["WAVE", "CLUSTER", "STATE", "RUN", "WHY"];

export function toClusterRow(
  { output }: Pick<Here, "output">,
  { wave, cluster, state, command, approval, trouble }: RolloutCluster,
  delay?: Delay,
): string[] {
  return [
    wave === 0 ? "-" : String(wave),
    output.safe(cluster),
    state,
    output.safe(command),
    trouble
      ? `${output.safe(trouble.message)} (${output.safe(trouble.code)})`
      : approval
        ? describeApprovers({ output }, approval)
        : (delay?.text ?? "-"),
  ];
}

export function describeRollout(
  here: Here,
  shown: {
    readonly rollout: Rollout;
    readonly clusters: readonly RolloutCluster[];
    readonly delays: ReadonlyMap<string, Delay> | undefined;
  },
): string {
  const { rollout, clusters, delays } = shown;
  const { output } = here;
  const { id, target, requester, wave, waves, pause, awaitingApproval, trouble, retryOf, template } = rollout;
  const { all, waiting, running, succeeded, failed, skipped } = rollout.clusters;
  const facts: [string, string | undefined][] = [
    ["Rollout", output.safe(id)],
    ["Target", output.safe(target)],
    ["State", formatRolloutState(rollout)],
    ["Goes on", pause && (pause.until ?? `when it is resumed: fairlead rollout resume ${output.safe(id)}`)],
    ["Wave", `${wave} of ${waves}`],
    [
      "Clusters",
      `${all}: ${succeeded} succeeded, ${failed} failed, ${running} running, ${waiting} waiting, ${skipped} skipped`,
    ],
    ["Approval", awaitingApproval ? `${awaitingApproval} of them wait for it: fairlead run approve RUN` : undefined],
    ["Asked by", output.safe(requester)],
    ["Template", template && output.safe(`${template.name}, revision ${template.revision}`)],
    ["Repeats", retryOf && output.safe(retryOf)],
    ["Trouble", trouble && `${output.safe(trouble.message)} (${output.safe(trouble.code)})`],
    ["Hint", trouble?.hint && output.safe(trouble.hint)],
  ];
  const known = facts.flatMap(([name, value]) => (value ? [[`${name}:`, value]] : []));
  return `${output.table(undefined, known)}\n${clusterTable(here, clusters, delays)}`;
}

export function describePreview({ output }: Pick<Here, "output">, { items, unusable, waves }: RolloutPreview): string {
  const chosen = output.table(
    ["WAVE", "CLUSTER"],
    items.map(({ wave, cluster }) => [String(wave), output.safe(cluster)]),
  );
  const lines = [`${items.length} clusters in ${waves} waves.\n`, items.length > 0 ? chosen : ""];
  if (unusable.length > 0) {
    const rows = unusable.map(({ cluster, trouble }) => [
      output.safe(cluster),
      output.safe(trouble.message),
      trouble.code,
    ]);
    lines.push(`\n${unusable.length} can't be asked:\n`, output.table(["CLUSTER", "WHY", "CODE"], rows));
  }
  return lines.join("");
}

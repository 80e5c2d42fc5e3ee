import type { CommandContext } from "../../../context.ts";
import type { ClusterMove, Move } from "./plan-move.ts";

/** Clusters, what stands in the way, and the commands for each cluster in the order of the guide. */
export function describeMove({ output }: CommandContext, { clusters, problems }: Move): string {
  const rows = clusters.map(({ cluster, mode, applications, settings }) => [
    ...[output.safe(cluster), mode ?? "unknown", String(applications), settings === undefined ? "no" : "yes"],
  ]);
  const all = [
    ...problems.map((problem) => ["", output.safe(problem)]),
    ...clusters.flatMap((one) => one.problems.map((problem) => [output.safe(one.cluster), output.safe(problem)])),
  ];
  return [
    rows.length === 0 ? "" : output.table(["CLUSTER", "MODE", "APPLICATIONS", "MOVABLE"], rows),
    all.length === 0 ? "" : output.table(["CLUSTER", "LOOK AT"], all),
    ...clusters.filter(({ settings }) => settings !== undefined).map((one) => listCommands(one).map(toLine).join("")),
  ]
    .filter((part) => part !== "")
    .join("\n");

  function toLine(text: string): string {
    return `${output.safe(text)}\n`;
  }
}

function listCommands({ cluster, secret, mode, settings }: ClusterMove): string[] {
  const { onUidMismatch, adoption } = settings?.rules ?? {};
  const options = [
    `--gitops-mode ${mode}`,
    ...(settings?.mapping === "destination" ? ["--gitops-mapping destination"] : []),
    ...(onUidMismatch === undefined ? [] : [`--gitops-on-uid-mismatch ${onUidMismatch}`]),
    ...(adoption === undefined ? [] : [`--gitops-adoption ${adoption}`]),
  ];
  const [namespace, name] = secret.split("/");
  return [
    `# ${cluster}: join it, stop argocd-agent's agent in it, then`,
    `kubectl --namespace ${namespace} delete secret ${name}`,
    `fairlead cluster set ${cluster} ${options.join(" ")}`,
  ];
}

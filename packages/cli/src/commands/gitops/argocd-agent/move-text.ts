import type { CommandContext } from "../../../context.ts";
import type { ClusterMove, Move } from "./plan-move.ts";

/** Clusters, what stands in the way, and the commands for each cluster in the order of the guide. */
export function describeMove({ output }: CommandContext, { clusters, problems }: Move): string {
  const rows = clusters.map(({ cluster, mode, applications, settings, state }) => [
    output.safe(cluster),
    mode ?? "unknown",
    String(applications),
    state === "moved" ? "moved" : settings === undefined ? "no" : state === "begun" ? "begun" : "yes",
  ]);
  const all = [
    ...problems.map((problem) => ["", output.safe(problem)]),
    ...clusters.flatMap((one) => one.problems.map((problem) => [output.safe(one.cluster), output.safe(problem)])),
  ];
  return [
    rows.length === 0 ? "" : output.table(["CLUSTER", "MODE", "APPLICATIONS", "MOVABLE"], rows),
    all.length === 0 ? "" : output.table(["CLUSTER", "LOOK AT"], all),
    ...clusters.filter(isToMove).map((one) => listCommands(one).map(toLine).join("")),
  ]
    .filter((part) => part !== "")
    .join("\n");

  function toLine(text: string): string {
    return `${output.safe(text)}\n`;
  }
}

function isToMove({ settings, state }: ClusterMove): boolean {
  return settings !== undefined && state !== "moved";
}

/** Where the cluster was looked into, the command that does it; else what does the same by hand. */
function listCommands({ cluster, secret, mode, agent, settings }: ClusterMove): string[] {
  if (agent !== undefined)
    return [
      `# ${cluster}: stops ${agent.namespace}/${agent.name} in it, and has Fairlead exchange its applications`,
      `fairlead gitops import-argocd-agent --apply --cluster ${cluster}`,
      "# and the way back",
      `fairlead gitops import-argocd-agent --back --cluster ${cluster}`,
    ];
  const { onUidMismatch } = settings?.rules ?? {};
  const options = [
    `--gitops-mode ${mode}`,
    ...(settings?.mapping === "destination" ? ["--gitops-mapping destination"] : []),
    ...(onUidMismatch === undefined ? [] : [`--gitops-on-uid-mismatch ${onUidMismatch}`]),
  ];
  const [namespace, name] = secret.split("/");
  return [
    `# ${cluster}: join it, stop argocd-agent's agent in it, then`,
    `kubectl --namespace ${namespace} label secret ${name} argocd.argoproj.io/secret-type-`,
    ...(mode === "autonomous" ? ["# and what the guide says of the principal's copies, then"] : []),
    `fairlead cluster set ${cluster} ${options.join(" ")}`,
  ];
}

import type { CommandContext } from "../../context.ts";
import type { ClusterAdoption } from "./adoption-plan.ts";
import { describeObjects } from "./upgrade-text.ts";

export function describeAdoption(
  context: CommandContext,
  plan: ClusterAdoption,
  { keepRelease = false }: { readonly keepRelease?: boolean },
): string {
  const { output } = context;
  const { cluster, step, argo, revisions } = plan;
  const { addon, way, chart } = step;
  const release = `${chart.namespace}/${chart.release}`;
  const lines = [
    `${cluster}: ${addon}, the release ${release} of the chart ${chart.chart} ${chart.version}, with the values that it has`,
    ...(way === "argocd"
      ? [
          `  From then on Argo CD keeps it, by the application ${argo.namespace}/${addon} with ${chart.repository}.`,
          "  Each object gets an annotation by which Argo CD knows it. Pods stay as they are, and hooks don't run.",
          keepRelease
            ? "  Helm's record of the release stays: 'helm upgrade' and 'helm uninstall' would still work on it."
            : `  Helm's record of the release (revisions: ${revisions}) is deleted then, so that nobody upgrades it behind Argo CD.`,
        ]
      : [
          `  From then on the hub keeps it, by the agent's role execute: it takes over the release ${release} by its name.`,
          "  Helm writes one more revision with the same manifests. Pods stay as they are, and hooks don't run.",
        ]),
  ];
  return `${lines.map((line) => output.safe(line)).join("\n")}\n${describeObjects(context, plan)}`;
}

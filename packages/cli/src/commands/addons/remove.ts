import { randomUUID } from "node:crypto";
import type { AddonReport, Report } from "@fairlead/doctor";
import type { Command } from "../../command.ts";
import type { CommandContext, OpenContext } from "../../context.ts";
import { cliErrors } from "../../errors.ts";
import { concludeDryRun } from "../../foresight/index.ts";
import { confirm } from "../confirm.ts";
import { finishRuns } from "../runs/index.ts";
import { addExamineOptions, type ExamineOptions, examineThroughHub } from "./examine-through-hub.ts";

interface Options extends ExamineOptions {
  readonly cluster: string;
  readonly yes?: boolean;
  readonly dryRun?: boolean;
}

export function addAddonsRemove(addons: Command, open: OpenContext): void {
  const command = addons
    .command("uninstall")
    .formerly("addons remove")
    .description("Uninstall an addon that Helm installed, after showing which features stop working; its CRDs stay")
    .examples("fairlead addon uninstall keda --cluster east")
    .argument("<addon>", "Name of the addon")
    .requiredOption("--cluster <cluster>", "Name of the cluster");
  addExamineOptions(command)
    .option("--dry-run", "Print what would change without changing it, and exit with 1 if anything would")
    .option("-y, --yes", "Don't ask for confirmation")
    .action((addon: string, options: Options, command: Command) => removeAddon(open(command), addon, options));
}

async function removeAddon(context: CommandContext, id: string, options: Options): Promise<void> {
  const { output, signal, terminal } = context;
  const { cluster } = options;
  const { report } = await examineThroughHub(context, { cluster, options });
  const addon = report.addons.find((each) => each.id === id);
  if (!addon) throw (await import("@fairlead/doctor")).installErrors.ADDON_UNKNOWN({ addon: id });
  const { namespace, release } = releaseOf(addon, cluster);
  const lost = await findLosses(report, id);
  output.remark(lost.length === 0 ? "Nothing that works now needs it." : `These stop working: ${lost.join(", ")}.`);
  if (options.dryRun) {
    output.answer({ cluster, addon: id, namespace, release, lost }, () => {
      return `- release ${output.safe(namespace)}/${output.safe(release)} in ${output.safe(cluster)}\n`;
    });
    return concludeDryRun(context, true);
  }
  await confirm(terminal, {
    isYes: options.yes,
    action: `remove '${id}' from '${cluster}'`,
    question: `Uninstall the release ${namespace}/${release} in '${output.safe(cluster)}'?`,
  });
  const hub = await context.hub();
  const run = await hub.createCommand(
    { kind: "helm", spec: { release, namespace, action: "uninstall" }, cluster, idempotencyKey: randomUUID() },
    { signal },
  );
  await finishRuns(context, hub, [run], { isShown: true });
}

/** Other installers would put it back, or keep a record of something that is gone: they have to remove it themselves. */
function releaseOf(addon: AddonReport, cluster: string) {
  const { presence, provenance } = addon.installation;
  const because = (why: string) => cliErrors.CLI_ADDON_NOT_REMOVABLE({ addon: addon.id, cluster, why });
  if (presence.is !== "installed") throw because(addon.message);
  if (provenance?.is !== "helm") throw because(describeInstaller(addon));
  return provenance;
}

function describeInstaller({ installation: { provenance } }: AddonReport): string {
  switch (provenance?.is) {
    case "argocd":
      return "Argo CD keeps it installed; delete its application ('fairlead argo app delete').";
    case "olm":
      return "the Operator Lifecycle Manager keeps it installed; delete its subscription.";
    case "flux":
      return "helmRelease" in provenance
        ? `Flux keeps it installed; delete the HelmRelease '${provenance.helmRelease}'.`
        : `Flux keeps it installed; take it out of the Kustomization '${provenance.kustomization}'.`;
    case "provider":
      return `${provenance.by} keeps it installed; switch it off there.`;
    case "helm":
    case "manifests":
    case undefined:
      return "it was applied from manifests; delete these.";
    default:
      return provenance satisfies never;
  }
}

/** The features that are available or degraded now, and blocked without the addon. */
async function findLosses(report: Report, id: string): Promise<string[]> {
  const { computeFeatures } = await import("@fairlead/doctor");
  const addons = report.addons.map((addon) => (addon.id === id ? { ...addon, state: "absent" as const } : addon));
  const after = computeFeatures({ addons, checks: report.checks });
  return report.features
    .filter(({ state }) => state === "available" || state === "degraded")
    .filter(({ feature }) => after.find((each) => each.feature === feature)?.state === "blocked")
    .map(({ feature }) => feature);
}

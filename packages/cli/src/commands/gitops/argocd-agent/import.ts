import { InvalidArgumentError, Option } from "commander";
import { chooseKubeContext } from "../../../choose-context.ts";
import type { Command } from "../../../command.ts";
import type { OpenContext } from "../../../context.ts";
import { usage } from "../../../errors.ts";
import { collectText } from "../../collect.ts";
import type { ImportOptions } from "./import-installation.ts";
import type { ToldModes } from "./plan-move.ts";

export function addImportArgocdAgent(gitops: Command, open: OpenContext): void {
  gitops
    .command("import-argocd-agent")
    .description("read an installation of argocd-agent, show what its clusters need here, and move them or back")
    .addOption(
      new Option("-f, --file <file...>", "what kubectl printed of the hub's cluster; - for standard input").conflicts([
        "kubeconfig",
        "kubeContext",
        "apply",
        "back",
      ]),
    )
    .option("--kubeconfig <file>", "that of the hub's cluster (default: kubectl's own)")
    .option("--kube-context <context>", "which of its contexts (default: the current one)")
    .option("--namespace <namespace>", "the principal's, which is that of the hub's Argo CD", "argocd")
    .option("--agent-namespace <namespace>", "that of argocd-agent's agents in their clusters (default: any)")
    .option("--cluster <cluster>", "only this cluster; repeat for more", collectText)
    .option("--mode <cluster=mode>", "managed or autonomous, where nothing else tells; may be repeated", parseMode)
    .option("--apply", "move the clusters that can be; without it nothing is changed")
    .addOption(new Option("--back", "give clusters that were moved back to argocd-agent").conflicts("apply"))
    .option("-y, --yes", "don't ask")
    .action(async (typed: ImportOptions, command: Command) => {
      const options: ImportOptions = { ...typed, context: chooseKubeContext(command) };
      if (options.file && options.context !== undefined)
        throw usage("Files come from no cluster.", "Leave --file or --kube-context out.");
      // The client of clusters is loaded by no other command.
      const { importInstallation } = await import("./import-installation.ts");
      await importInstallation(open(command), options);
    });
}

function parseMode(text: string, before: ToldModes = new Map()): ToldModes {
  const [, cluster, mode] = /^([^=]+)=(managed|autonomous)$/.exec(text) ?? [];
  if (cluster === undefined) throw new InvalidArgumentError("It has to be CLUSTER=managed or CLUSTER=autonomous.");
  return new Map([...before, [cluster, mode as "managed" | "autonomous"]]);
}

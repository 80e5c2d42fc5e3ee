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
    .description("Read an installation of argocd-agent, show what its clusters need here, and move them here or back")
    .examples(
      "fairlead gitops import-argocd-agent --kube-context hub",
      "fairlead gitops import-argocd-agent --kube-context hub --apply --cluster east",
    )
    .addOption(
      new Option(
        "-f, --file <file...>",
        "Files with objects of the hub's cluster that kubectl printed; - for standard input",
      ).conflicts(["kubeconfig", "kubeContext", "apply", "back"]),
    )
    .option("--kubeconfig <file>", "Kubeconfig of the hub's cluster (default: the one that kubectl uses)")
    .option("--kube-context <context>", "Context in the kubeconfig (default: its current context)")
    .option("--namespace <namespace>", "Namespace of the principal and of the hub's Argo CD", "argocd")
    .option("--agent-namespace <namespace>", "Namespace of argocd-agent's agents in their clusters (default: any)")
    .option("--cluster <cluster>", "Only this cluster; can be repeated", collectText)
    .option(
      "--mode <cluster=mode>",
      "Mode of a cluster whose mode isn't known otherwise, for example east=managed; can be repeated",
      parseMode,
    )
    .option("--apply", "Move the clusters that can be moved; without this flag nothing is changed")
    .addOption(new Option("--back", "Move clusters back to argocd-agent").conflicts("apply"))
    .option("-y, --yes", "Don't ask for confirmation")
    .action(async (typed: ImportOptions, command: Command) => {
      const options: ImportOptions = { ...typed, context: chooseKubeContext(command) };
      if (options.file && options.context !== undefined)
        throw usage("--file and --kube-context can't be combined.", "Remove one of them.");
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

import { type Command, Option } from "commander";
import type { CommandContext, OpenContext } from "../../../context.ts";
import { collectText } from "../../collect.ts";
import { type ImportOptions, parseMode } from "./options.ts";

export function addImportArgocdAgent(gitops: Command, open: OpenContext): void {
  gitops
    .command("import-argocd-agent")
    .description("read an installation of argocd-agent, show what its clusters need here, and move them or back")
    .addOption(
      new Option("-f, --file <file...>", "what kubectl printed of the hub's cluster; - for standard input").conflicts([
        ...["kubeconfig", "context", "apply", "back"],
      ]),
    )
    .option("--kubeconfig <file>", "that of the hub's cluster (default: kubectl's own)")
    .option("--context <context>", "which of its contexts (default: the current one)")
    .option("--namespace <namespace>", "the principal's, which is that of the hub's Argo CD", "argocd")
    .option("--agent-namespace <namespace>", "that of argocd-agent's agents in their clusters (default: any)")
    .option("--cluster <cluster>", "only this cluster; repeat for more", collectText)
    .option("--mode <cluster=mode>", "managed or autonomous, where nothing else tells; may be repeated", parseMode)
    .option("--apply", "move the clusters that can be; without it nothing is changed")
    .addOption(new Option("--back", "give clusters that were moved back to argocd-agent").conflicts("apply"))
    .option("-y, --yes", "don't ask")
    .action((options: ImportOptions, command: Command) => importInstallation(open(command), options));
}

/** The client of clusters takes time to load, and no other command of these needs it. */
async function importInstallation(context: CommandContext, options: ImportOptions): Promise<void> {
  const { runImport } = await import("./run-import.ts");
  await runImport(context, options);
}

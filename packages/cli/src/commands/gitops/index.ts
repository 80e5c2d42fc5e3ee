import type { Command } from "../../command.ts";
import type { OpenContext } from "../../context.ts";
import { addImportArgocdAgent } from "./argocd-agent/index.ts";
import { addGitopsConfirm } from "./confirm.ts";
import { addGitopsStatus } from "./status.ts";

export function addGitopsCommands(program: Command, open: OpenContext): void {
  const gitops = program
    .command("gitops")
    .description("Manage the exchange of Argo CD applications between hub and clusters");
  addGitopsStatus(gitops, open);
  addGitopsConfirm(gitops, open);
  addImportArgocdAgent(gitops, open);
}

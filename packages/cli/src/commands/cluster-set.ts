import type { GitopsMapping, GitopsMode } from "@fairlead/contract";
import { type Command, Option } from "commander";
import type { CommandContext, OpenContext } from "../context.ts";

interface SetOptions {
  readonly gitopsMode: GitopsMode;
  readonly gitopsMapping?: GitopsMapping;
}

export function addClusterSet(cluster: Command, open: OpenContext): void {
  cluster
    .command("set")
    .description("set how the hub and a cluster exchange Argo CD applications")
    .argument("<name>", "the cluster")
    .addOption(
      new Option("--gitops-mode <mode>", "where the truth about its applications is")
        .choices(["off", "managed", "autonomous"])
        .makeOptionMandatory(),
    )
    .addOption(
      new Option("--gitops-mapping <mapping>", "how the hub tells whose an application is").choices([
        "namespace",
        "destination",
      ]),
    )
    .action((name: string, options: SetOptions, command: Command) => setCluster(open(command), name, options));
}

async function setCluster(context: CommandContext, name: string, options: SetOptions): Promise<void> {
  const { hub, output, signal } = context;
  const { gitopsMode: mode, gitopsMapping: mapping } = options;
  const settings = await (await hub()).putGitopsSettings(name, { mode, mapping }, { signal });

  output.answer(settings, () => `Argo CD applications of '${output.safe(settings.cluster)}': ${settings.mode}.\n`);
}

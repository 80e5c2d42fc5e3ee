import type { ApplicationListQuery, ApplicationSummary } from "@fairlead/contract";
import type { Command } from "../../command.ts";
import type { CommandContext, OpenContext } from "../../context.ts";
import { formatSpan } from "../../output/index.ts";
import { readPages } from "../read-pages.ts";
import { applicationName } from "./application-name.ts";

interface ListOptions extends Pick<ApplicationListQuery, "cluster" | "project" | "sync" | "health"> {
  readonly selector?: string;
}

export function addApplicationList(app: Command, open: OpenContext): void {
  app
    .command("list")
    .prints("application", applicationName)
    .description("List applications")
    .examples("fairlead argo app list --sync OutOfSync")
    .option("--cluster <name>", "Only applications of this cluster")
    .option("--project <name>", "Only applications of this project")
    .option("--sync <status>", "Only applications with this sync status, for example OutOfSync")
    .option("--health <health>", "Only applications with this health, for example Degraded")
    .option("-l, --selector <selector>", "Only applications whose labels match, for example team=shop")
    .action((options: ListOptions, command: Command) => listApplications(open(command), options));
}

async function listApplications(context: CommandContext, { selector, ...query }: ListOptions): Promise<void> {
  const { hub: connect, output, terminal, signal } = context;
  const hub = await connect();
  const items = await readPages<ApplicationSummary>(
    (page) => hub.listApplications({ ...query, labelSelector: selector, ...page }, { signal }),
    { limit: Number.MAX_SAFE_INTEGER, mostOnPage: 500 },
  );
  output.answer({ items }, () => (items.length === 0 ? "" : output.table(heading, items.map(toRow))));
  if (items.length === 0) output.remark("No applications.");

  function toRow(found: ApplicationSummary): string[] {
    const { cluster, name, namespace, project, mode, sync, health, phase, reconciledAt, isDeleting } = found;
    const seen = reconciledAt === undefined ? "-" : formatSpan(terminal.now() - Date.parse(reconciledAt));
    const shown = namespace === cluster ? `${cluster}/${name}` : `${cluster}/${namespace}/${name}`;
    const doing = isDeleting ? "Deleting" : phase;
    return [...[shown, project, mode, sync, health, doing].map((text) => output.safe(text)), seen];
  }
}

const heading = ["APPLICATION", "PROJECT", "MODE", "SYNC", "HEALTH", "OPERATION", "SEEN"];

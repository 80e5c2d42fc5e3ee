import type { ApplicationName } from "@fairlead/contract";
import type { Command } from "../../command.ts";
import type { CommandContext, OpenContext } from "../../context.ts";
import { formatSpan } from "../../output/index.ts";
import { applicationArgument, applicationDescription, parseApplication } from "./application-name.ts";
import { type ComparedApplication, compareApplication } from "./compare.ts";

export function addApplicationDiff(app: Command, open: OpenContext): void {
  app
    .command("diff")
    .description("Show the resources that are out of sync, as the cluster's Argo CD last reported them")
    .examples("fairlead argo app diff east/shop")
    .argument(applicationArgument, applicationDescription, parseApplication)
    .action((of: ApplicationName, _options: object, command: Command) => diffApplication(open(command), of));
}

async function diffApplication(context: CommandContext, of: ApplicationName): Promise<void> {
  const { hub, output, terminal, signal } = context;
  const application = await (await hub()).getApplication(of, { signal });
  const compared = compareApplication(application);
  output.answer(compared, () => describe(context, compared));
  const { reconciledAt } = application;
  if (!compared.isCompared) output.remark("The cluster's Argo CD hasn't compared it yet.");
  else if (compared.spec.length + compared.resources.length === 0) output.remark("Nothing differs.");
  if (reconciledAt !== undefined)
    output.remark(`Argo CD looked ${formatSpan(terminal.now() - Date.parse(reconciledAt))} ago.`);
  if (compared.resources.length > 0) output.remark("The hub knows which resources differ, and not in what.");
}

function describe({ output }: CommandContext, { spec, resources }: ComparedApplication): string {
  const fields = spec.map(({ field, hub, cluster }) => [field, hub, cluster].map((text) => output.safe(text)));
  const rows = resources.map(({ kind, namespace, name, status, isToBePruned }) => [
    ...[kind, namespace, name, status].map((text) => output.safe(text)),
    isToBePruned ? "yes" : "no",
  ]);
  return [
    fields.length === 0 ? "" : output.table(["FIELD", "HUB", "CLUSTER"], fields),
    rows.length === 0 ? "" : output.table(["KIND", "NAMESPACE", "NAME", "STATUS", "PRUNED"], rows),
  ]
    .filter((part) => part !== "")
    .join("\n");
}

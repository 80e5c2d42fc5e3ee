import type { Command } from "commander";
import type { CommandContext, OpenContext } from "../../context.ts";
import { formatSubject } from "./subject.ts";

interface WhoCanOptions {
  readonly cluster?: string;
  readonly namespace?: string;
}

export function addWhoCan(access: Command, open: OpenContext): void {
  access
    .command("who-can")
    .description("list who may do something, and by which binding")
    .argument("<verb>", "as in RBAC: get, list, create, delete …")
    .argument(
      "<resource>",
      "pods, deployments.apps, pods/exec; without --cluster one of the hub's own, such as clusters",
    )
    .option("--cluster <cluster>", "in which cluster")
    .option("-n, --namespace <namespace>", "in which namespace (default: all of them)")
    .action((verb: string, resource: string, options: WhoCanOptions, command: Command) =>
      listWhoCan(open(command), { verb, resource, cluster: options.cluster, namespace: options.namespace }),
    );
}

async function listWhoCan(
  { hub, output, signal }: CommandContext,
  request: {
    readonly verb: string;
    readonly resource: string;
    readonly cluster: string | undefined;
    readonly namespace: string | undefined;
  },
): Promise<void> {
  const answer = await (await hub()).whoCan(request, { signal });
  const rows = answer.items.map(({ subject, role, binding }) => [
    output.safe(formatSubject(subject)),
    output.safe(role),
    output.safe(binding),
  ]);
  output.answer(answer, () => (rows.length === 0 ? "" : output.table(["WHO", "ROLE", "BINDING"], rows)));
  if (rows.length === 0) output.remark("Nobody.");
}

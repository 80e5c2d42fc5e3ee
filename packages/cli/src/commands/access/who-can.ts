import type { Command } from "../../command.ts";
import type { CommandContext, OpenContext } from "../../context.ts";
import { addRequest, type RequestOptions } from "./request.ts";
import { formatSubject } from "./subject.ts";

export function addWhoCan(access: Command, open: OpenContext): void {
  const listing = access
    .command("who-can")
    .description("List who can do something, and by which binding")
    .examples("fairlead access who-can delete pods --cluster east");
  addRequest(listing).action((verb: string, resource: string, options: RequestOptions, command: Command) =>
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

import type { HubMember } from "@fairlead/contract";
import type { Command } from "../command.ts";
import type { CommandContext, OpenContext } from "../context.ts";
import { formatSpan } from "../output/index.ts";

export function addHubs(program: Command, open: OpenContext): void {
  program
    .command("hub")
    .description("See the hubs that share a database")
    .command("list")
    .prints("hub")
    .formerly("hubs")
    .description("List the hubs that share the database, with their links")
    .examples("fairlead hub list")
    .action((_options: object, command: Command) => listHubs(open(command)));
}

async function listHubs(context: CommandContext): Promise<void> {
  const { hub, output, signal } = context;
  const list = await (await hub()).listHubs({ signal });
  const heading = ["HUB", "ADDRESS", "VERSION", "SINCE", "SILENT", "LINKS", "AGENTS", "REACHED"];
  output.answer(list, () =>
    output.table(
      heading,
      list.items.map((member) => describe(context, member)),
    ),
  );
}

function describe({ output, terminal }: CommandContext, member: HubMember): string[] {
  return [
    output.safe(member.id),
    output.safe(member.address),
    output.safe(member.version),
    formatSpan(terminal.now() - Date.parse(member.since)),
    formatSpan(member.silentMs),
    String(member.links),
    String(member.agents),
    reached[member.reach],
  ];
}

const reached: Readonly<Record<HubMember["reach"], string>> = { self: "answers", linked: "yes", unlinked: "no" };

import type { DeclarationItem, DeclarationList } from "@fairlead/contract";
import type { Command } from "../command.ts";
import type { CommandContext, OpenContext } from "../context.ts";

export function addDeclarations(program: Command, open: OpenContext): void {
  program
    .command("declaration")
    .description("See what the hub's files declare")
    .command("list")
    .prints("declaration", ({ kind, name }) => `${kind}/${name}`)
    .formerly("declarations")
    .description("List what the hub's files declare, and whether it is in force")
    .examples("fairlead declaration list")
    .action((_options: object, command: Command) => showDeclarations(open(command)));
}

async function showDeclarations(context: CommandContext): Promise<void> {
  const { hub, output, signal } = context;
  const list = await (await hub()).listDeclarations({ signal });
  output.answer(list, () => describeList(context, list));
}

function describeList({ output }: CommandContext, { items, problem }: DeclarationList): string {
  const rows = items.map((item) => [item.kind, item.name, item.state, item.file ?? "-", describeNote(item)]);
  const table = output.table(["KIND", "NAME", "STATE", "FILE", "NOTE"], rows);
  if (problem === undefined) return table;
  const hint = problem.hint === undefined ? "" : `  ${output.safe(problem.hint)}\n`;
  const since = `The files' declarations aren't in force since ${problem.since}; those of before are:`;
  return `${table}\n${since}\n  ${output.safe(problem.message)} (${output.safe(problem.code)})\n${hint}`;
}

function describeNote({ detail, drift }: DeclarationItem): string {
  const put = drift === undefined ? undefined : `put right at ${drift.at}: ${drift.detail}`;
  return [detail, put].filter((part) => part !== undefined).join("; ");
}

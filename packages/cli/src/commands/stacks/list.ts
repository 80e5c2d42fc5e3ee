import type { Stack } from "@fairlead/contract";
import type { Command } from "../../command.ts";
import type { CommandContext, OpenContext } from "../../context.ts";

export function addStackList(stack: Command, open: OpenContext): void {
  stack
    .command("list")
    .prints("stack")
    .description("List stacks")
    .examples("fairlead stack list")
    .action((_options: object, command: Command) => listStacks(open(command)));
}

async function listStacks({ hub: connect, output, signal }: CommandContext): Promise<void> {
  const hub = await connect();
  const items: Stack[] = [];
  let cursor: string | undefined;
  do {
    const page = await hub.listStacks({ limit: 500, cursor }, { signal });
    items.push(...page.items);
    cursor = page.next;
  } while (cursor !== undefined);
  output.answer({ items }, () => (items.length === 0 ? "" : output.table(heading, items.map(toRow))));
  if (items.length === 0) output.remark("No stacks.");

  function toRow({ name, owner, resources, run }: Stack): string[] {
    return [output.safe(name), String(resources), run ? `${run.action} ${run.state}` : "-", output.safe(owner)];
  }
}

const heading = ["STACK", "RESOURCES", "LAST RUN", "OWNER"];

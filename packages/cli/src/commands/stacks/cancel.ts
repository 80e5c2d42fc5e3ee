import type { Command } from "../../command.ts";
import type { CommandContext, OpenContext } from "../../context.ts";
import { cliErrors } from "../../errors.ts";

export function addStackCancel(stack: Command, open: OpenContext): void {
  stack
    .command("cancel")
    .description("Cancel a stack's run in progress gracefully; cancel it again to stop it at once")
    .examples("fairlead stack cancel shop")
    .argument("<name>", "Name of the stack")
    .action((name: string, _options: object, command: Command) => cancelStack(open(command), name));
}

async function cancelStack({ hub: connect, output, signal }: CommandContext, name: string): Promise<void> {
  const hub = await connect();
  const { run } = await hub.getStack(name, { signal });
  if (!run || run.finishedAt !== undefined) throw cliErrors.CLI_STACK_IDLE({ stack: name });
  const cancelled = await hub.cancelStackRun(name, run.id, { signal });
  output.answer(cancelled, () => `${output.safe(cancelled.id)} is ${cancelled.state}.\n`);
}

import type { Command } from "../../command.ts";
import type { CommandContext, OpenContext } from "../../context.ts";
import { confirm } from "../confirm.ts";
import { addRunOptions, type RunOptions, startRun } from "./start-run.ts";

interface DestroyOptions extends RunOptions {
  readonly yes?: boolean;
}

export function addStackDestroy(stack: Command, open: OpenContext): void {
  const command = stack
    .command("destroy")
    .description("Destroy all resources of a stack, in reverse order of their dependencies")
    .examples("fairlead stack destroy shop")
    .argument("<name>", "Name of the stack")
    .option("-y, --yes", "Don't ask for confirmation")
    .option("--dry-run", "Print what would change without changing it, and exit with 1 if anything would");
  addRunOptions(command).action((name: string, options: DestroyOptions, typed: Command) =>
    destroyStack(open(typed), name, options),
  );
}

async function destroyStack(context: CommandContext, name: string, options: DestroyOptions): Promise<void> {
  const { resources } = await (await context.hub()).getStack(name, { signal: context.signal });
  // As a file that declares nothing.
  if (options.dryRun) return startRun(context, name, { action: "plan", resources: {} }, options);
  await confirm(context.terminal, {
    isYes: options.yes,
    action: `destroy stack '${name}'`,
    question: `Destroy stack '${name}' with its ${resources.length} resources?`,
  });
  await startRun(context, name, { action: "destroy" }, options);
}

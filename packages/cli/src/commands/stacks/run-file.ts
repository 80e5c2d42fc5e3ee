// `fairlead stack plan` and `fairlead stack apply`: what a file declares.
import type { Command } from "../../command.ts";
import type { CommandContext, OpenContext } from "../../context.ts";
import { readStack } from "./read-stack.ts";
import { addRunOptions, type RunOptions, startRun } from "./start-run.ts";

interface FileOptions extends RunOptions {
  readonly file: string;
}

export function addStackPlan(stack: Command, open: OpenContext): void {
  addFileCommand(stack, open, "plan", "Print what an apply would change in all clusters, without changing it");
}

export function addStackApply(stack: Command, open: OpenContext): void {
  addFileCommand(stack, open, "apply", "Apply a stack, and destroy resources that its file no longer declares").option(
    "--dry-run",
    "Print what would change without changing it, and exit with 1 if anything would",
  );
}

function addFileCommand(stack: Command, open: OpenContext, action: "plan" | "apply", description: string): Command {
  const command = stack
    .command(action)
    .description(description)
    .examples(`fairlead stack ${action} -f shop.yaml`)
    .requiredOption("-f, --file <file>", "File with the stack in YAML or JSON; - for standard input");
  return addRunOptions(command).action((options: FileOptions, typed: Command) => runFile(open(typed), action, options));
}

async function runFile(context: CommandContext, action: "plan" | "apply", options: FileOptions): Promise<void> {
  const { name, resources } = await readStack(context.terminal, options.file);
  await startRun(context, name, { action: options.dryRun ? "plan" : action, resources }, options);
}

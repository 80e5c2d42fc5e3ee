import type { CommandContext } from "../context.ts";
import { exitCodes } from "../exit-codes.ts";
import { EndsWith } from "../terminal.ts";

/** As of every `--dry-run`: ends the command with exit code 1 where anything would change, and says where nothing would. */
export function concludeDryRun({ output }: Pick<CommandContext, "output">, differs: boolean): void {
  if (differs) throw new EndsWith(exitCodes.failure.value);
  output.remark("Nothing would change.");
}

import type { Command } from "../command.ts";
import type { OpenContext } from "../context.ts";
import { printCredential } from "../credential/index.ts";

/** Hidden: kubectl calls it. start.ts has a shorter way to it; this one serves `fairlead --config FILE credential`. */
export function addCredential(program: Command, open: OpenContext): void {
  program
    .command("credential", { hidden: true })
    .option("--hub <url>", "Hub that the sign-in must be for")
    .action((options: { readonly hub?: string }, command: Command) => {
      const { contextRef, terminal } = open(command);
      return printCredential({ config: contextRef.file, context: contextRef.name, hub: options.hub }, terminal);
    });
}

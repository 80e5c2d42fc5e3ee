import type { Command } from "commander";
import type { CommandContext, OpenContext } from "../context.ts";

export function addWhoami(program: Command, open: OpenContext): void {
  program
    .command("whoami")
    .description("say who you are signed in as, and where")
    .action((_options: object, command: Command) => whoami(open(command)));
}

async function whoami({ profile, hub, output, signal }: CommandContext): Promise<void> {
  const { name } = await (await hub()).whoami({ signal });
  const { hub: url } = await profile();
  output.answer({ name, hub: url }, () => `${output.safe(name)} on ${url}\n`);
}

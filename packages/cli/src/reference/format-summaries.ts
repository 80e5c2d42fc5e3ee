import type { Command } from "../command.ts";

/** The source of `gen/command-summaries.ts`: what the help that names all commands says of each. */
export function formatSummaries(program: Command): string {
  const help = program.createHelp();
  const rows = program.children
    .filter((command) => help.visibleCommands(program).includes(command))
    .map((command) => {
      const row = { name: command.name(), term: help.subcommandTerm(command), description: command.description() };
      return `  ${JSON.stringify(row)},\n`;
    });
  return `// Written by scripts/write-reference.ts.\nexport const commandSummaries = [\n${rows.join("")}] as const;\n`;
}

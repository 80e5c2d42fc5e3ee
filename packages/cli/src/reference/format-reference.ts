import type { Option } from "commander";
import type { Command } from "../command.ts";

/** docs/reference/cli.md, from the same table as help and completion. */
export function formatReference(program: Command): string {
  const groups = program.children.filter(isVisible);
  return `${[
    "# `fairlead`: commands and flags",
    intro,
    "This page is made by `npm run docs:cli` from the commands themselves; [the guide](../cli.md) explains them with worked examples.",
    "## Flags of every command",
    formatOptions(program, program),
    ...groups.flatMap((group) => formatGroup(program, group)),
    "## Former names",
    "These still work, with a warning on standard error. Help and completion leave them out.",
    formatFormerNames(collect(program)),
  ].join("\n\n")}\n`;
}

/** The rule by which commands are named. */
const intro =
  "A command is a noun in the singular and then a verb that means the same for every noun (`list`, `get`, `create`, `apply`, `delete`; `ls` and `rm` for short), except for kubectl's top-level verbs (`get`, `describe`, `events`, `top`), `run KIND`, which starts a run, and commands about `fairlead` itself (`login`, `kubeconfig`, `doctor`, `version`). `-f` names a file (with `logs` it follows, as in kubectl), `-w` watches, `--follow` prints logs as they grow, `--wait` waits for the end, and `--context` chooses the sign-in.";

function formatGroup(program: Command, group: Command): string[] {
  const leaves = collect(group).filter(({ children }) => !children.some(isVisible));
  return [
    `## ${capitalize(group.name())}`,
    ...(leaves.includes(group) ? [] : [`${group.description()}.`]),
    ...leaves.flatMap((leaf) => formatCommand(program, leaf)),
  ];
}

function formatCommand(program: Command, command: Command): string[] {
  const help = command.createHelp();
  const operands = help.visibleArguments(command).map((argument) => {
    const name = `${argument.name()}${argument.variadic ? "..." : ""}`;
    return [`\`${argument.required ? `<${name}>` : `[${name}]`}\``, help.argumentDescription(argument)];
  });
  const words = operands.map(([name = ""]) => name.replaceAll("`", ""));
  return [
    `### \`${[command.path, ...words].join(" ")}\``,
    `${command.description()}.`,
    ...(operands.length === 0 ? [] : [formatTable(["Argument", "Meaning"], operands)]),
    formatOptions(program, command),
    ["```console", ...command.shownExamples.map((line) => `$ ${line}`), "```"].join("\n"),
  ];
}

function formatOptions(program: Command, command: Command): string {
  const help = command.createHelp();
  const isListed = ({ long }: Option): boolean => long !== "--help" || command === program;
  const options = help.visibleOptions(command).filter(isListed);
  return formatTable(
    ["Flag", "Meaning"],
    options.map((option) => [
      `\`${option.flags}\``,
      `${help.optionDescription(option)}${option.mandatory ? " (required)" : ""}`,
    ]),
  );
}

function formatFormerNames(commands: readonly Command[]): string {
  const paths = commands.flatMap(({ path, formerPaths }) =>
    formerPaths.map((former) => [`\`fairlead ${former}\``, `\`${path}\``]),
  );
  const flags = commands.flatMap(({ path, formerOptions }) =>
    formerOptions.map(({ flags: former, option }) => [`\`${path} ${former}\``, `\`${option}\``]),
  );
  return formatTable(["Former", "Now"], [...paths, ...flags, ...formerContexts]);
}

/** Those that choose-context.ts knows. */
const formerContexts = [
  ["`--profile`, `FAIRLEAD_PROFILE` for the sign-in", "`--context`, `FAIRLEAD_CONTEXT`"],
  ["`--context` for the kubeconfig's context", "`--kube-context`"],
];

function formatTable(heading: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.map(escapeCell).join(" | ")} |`;
  return [line(heading), `|${heading.map(() => "---").join("|")}|`, ...rows.map(line)].join("\n");
}

/** A bar ends a cell, even within code; angle brackets outside of code would be HTML. */
function escapeCell(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll(/(?<!`[^`]*)<(\w+)>/g, "`<$1>`");
}

function collect(command: Command): Command[] {
  return [command, ...command.children.filter(isVisible).flatMap(collect)];
}

function isVisible(command: Command): boolean {
  return command.parent?.createHelp().visibleCommands(command.parent).includes(command) === true;
}

function capitalize(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

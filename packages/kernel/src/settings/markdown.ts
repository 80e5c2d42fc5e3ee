import { describeDefault, describeFlag, groupSettings } from "./describe.ts";
import { type NamedSetting, namedSettings, type Program } from "./setting.ts";
import { toVariable } from "./spellings.ts";

/** The document with the program's tables between its two markers. */
export function replaceTables<Config>(document: string, program: Program<Config>): string {
  const [begin, end] = [`<!-- settings of ${program.name} -->`, `<!-- end of settings of ${program.name} -->`];
  const from = document.indexOf(begin);
  const to = document.indexOf(end);
  if (from === -1 || to < from) throw new TypeError(`the document has no place between ${begin} and ${end}`);
  return `${document.slice(0, from + begin.length)}\n\n${formatTables(program)}\n${document.slice(to)}`;
}

function formatTables<Config>(program: Program<Config>): string {
  return [...groupSettings(namedSettings(program))]
    .map(([title, rows]) =>
      [
        `### ${title}`,
        "",
        "| Flag | Variable | In the file | Default | What it is |",
        "|---|---|---|---|---|",
        ...rows.map((named) => formatRow(program.variablePrefix, named)),
        "",
      ].join("\n"),
    )
    .join("\n");
}

function formatRow(prefix: string, named: NamedSetting): string {
  const { help, kind, details } = named.setting;
  const meaning = [kind.range === undefined ? help : `${help} (${kind.range})`, details].filter(Boolean).join(". ");
  const cells = [
    `\`${describeFlag(named)}\``,
    `\`${toVariable(prefix, named.name)}\``,
    `\`${named.name}\``,
    describeDefault(named) ?? "",
    meaning,
  ];
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`.replaceAll("|  |", "| |");
}

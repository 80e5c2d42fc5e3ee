import { describeDefault, describeFlag, groupSettings } from "./describe.ts";
import { type NamedSetting, namedSettings, type Program } from "./setting.ts";
import { toVariable } from "./spellings.ts";

/** The part of a help text that lists all settings. */
export function formatHelp<Config>(program: Program<Config>): string {
  const [first] = namedSettings(program);
  const groups = [...groupSettings(namedSettings(program))].map(([title, rows]) => formatGroup(title, rows.map(toRow)));
  const general: Row[] = [
    { flag: "-c, --config FILE", text: "Read settings from this YAML file, which --print-config can write" },
    { flag: "--print-config", text: "Print the settings in effect, without secrets, and exit" },
    { flag: "-h, --help", text: "Print this text and exit" },
    { flag: "-V, --version", text: "Print the version and exit" },
  ];
  const variable = toVariable(program.variablePrefix, first?.name ?? "config");
  return [
    ...groups,
    formatGroup("General", general),
    `Each setting has an environment variable, for example ${variable}, and a key in the file.`,
    "Flags win over environment variables, those over the file, and the file over defaults.",
    "Durations are written like 30s, 5m or 1h30m, and sizes like 64Mi or 1Gi.",
    "",
  ].join("\n");
}

interface Row {
  readonly flag: string;
  readonly text: string;
}

function toRow(named: NamedSetting): Row {
  const { help, kind } = named.setting;
  const written = describeDefault(named)?.replaceAll("`", "");
  const facts = [kind.range, written === undefined || written === "false" ? undefined : `default ${written}`];
  const known = facts.filter((fact) => fact !== undefined);
  return { flag: describeFlag(named), text: known.length === 0 ? help : `${help} (${known.join("; ")})` };
}

function formatGroup(title: string, rows: readonly Row[]): string {
  const lines = rows.flatMap(({ flag, text }) => [`  ${flag}`, ...wrap(text).map((line) => `      ${line}`)]);
  return [`${title}:`, ...lines, ""].join("\n");
}

function wrap(text: string): readonly string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && line.length + word.length >= width) {
      lines.push(line);
      line = "";
    }
    line += line === "" ? word : ` ${word}`;
  }
  return [...lines, line];
}

const width = 90;

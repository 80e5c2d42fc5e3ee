import { parseArgs } from "node:util";
import { findNearest } from "../find-nearest.ts";
import { settingErrors, settingUnknown } from "./errors.ts";
import { namedSettings, type Program } from "./setting.ts";
import { toFlag } from "./spellings.ts";

export interface Arguments {
  /** By the flag as it is written out: `--data-dir`. */
  readonly flags: ReadonlyMap<string, string | true>;
  /** What stands between flags. */
  readonly words: readonly string[];
}

/** Splits a command line into flags that the program has and words. */
export function readArguments<Config>(program: Program<Config>, args: readonly string[]): Arguments {
  const options = optionsOf(program);
  const flags = new Map<string, string | true>();
  const words: string[] = [];
  const { tokens } = parseArgs({
    args: [...args],
    options: Object.fromEntries(
      [...options].map(([name, { type, short }]) => [name, short ? { type, short } : { type }]),
    ),
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  let isTaken = false;
  tokens.forEach((token, at) => {
    if (token.kind === "positional" && !isTaken) words.push(token.value);
    isTaken = false;
    if (token.kind !== "option") return;
    const option = options.get(token.name);
    if (!option) throw unknownFlag(program, token.rawName);
    const next = tokens[at + 1];
    // A word behind a switch says which way it is turned.
    isTaken = option.isSetting && isSwitch(option) && token.value === undefined && isTruth(next);
    const value = isTaken && next?.kind === "positional" ? next.value : token.value;
    if (!isSwitch(option) && (value === undefined || (value === "" && !option.mayBeEmpty)))
      throw invalidFlag(program, token.rawName, "it needs a value");
    if (isSwitch(option) && value !== undefined && !option.isSetting)
      throw invalidFlag(program, token.rawName, "it takes no value");
    flags.set(`--${token.name}`, value ?? true);
  });
  return { flags, words };
}

interface Option {
  readonly type: "boolean" | "string";
  readonly short?: string;
  readonly isSetting: boolean;
  readonly isFormer?: boolean;
  readonly mayBeEmpty?: boolean;
}

/** By the name without dashes. */
function optionsOf<Config>(program: Program<Config>): ReadonlyMap<string, Option> {
  const options = new Map<string, Option>([
    ["config", { type: "string", short: "c", isSetting: false }],
    ["print-config", { type: "boolean", isSetting: false }],
    ["help", { type: "boolean", short: "h", isSetting: false }],
    ["version", { type: "boolean", short: "V", isSetting: false }],
  ]);
  for (const [name, takesValue] of Object.entries(program.commandFlags ?? {}))
    options.set(name, { type: takesValue ? "string" : "boolean", isSetting: false });
  for (const { name, setting } of namedSettings(program)) {
    const { placeholder, mayBeEmpty = false } = setting.kind;
    const type = placeholder === undefined ? "boolean" : "string";
    options.set(toFlag(name).slice(2), { type, isSetting: true, mayBeEmpty });
    if (setting.former)
      options.set(toFlag(setting.former.name).slice(2), { type: "string", isSetting: true, isFormer: true });
  }
  return options;
}

function isSwitch({ type }: Option): boolean {
  return type === "boolean";
}

function isTruth(token: { readonly kind: string; readonly value?: string | undefined } | undefined): boolean {
  return token?.kind === "positional" && (token.value === "true" || token.value === "false");
}

function unknownFlag<Config>(program: Program<Config>, name: string): Error {
  const known = [...optionsOf(program)].filter(([, { isFormer }]) => !isFormer).map(([option]) => `--${option}`);
  return settingUnknown({ name, where: "the command line", nearest: findNearest(name, known), program: program.name });
}

function invalidFlag<Config>(program: Program<Config>, name: string, reason: string): Error {
  return settingErrors.CONFIG_INVALID({ name, reason, program: program.name });
}

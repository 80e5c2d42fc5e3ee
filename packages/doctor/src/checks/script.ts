import { printable } from "@fairlead/kernel";

declare const isScript: unique symbol;

/** Text for a shell. It has no other source than `script`, so that each word of it is quoted. */
export type Script = string & { readonly [isScript]: true };

/** A program's name and its arguments. */
export type Words = readonly string[];

/** One command a line. Where a line has several, each reads what the one before it wrote. */
export function script(lines: readonly (Words | readonly Words[])[]): Script {
  return lines.map((line) => toCommands(line).map(quoteAll).join(" | ")).join("\n") as Script;
}

export interface KubectlOptions {
  readonly verb: Words;
  readonly namespace?: string | undefined;
  readonly options?: Words;
  /** Resources and names. */
  readonly args: Words;
}

/** Names come from clusters and files: one that begins with a dash must not be read as an option. */
export function kubectl({ verb, namespace, options = [], args }: KubectlOptions): Words {
  const place = namespace === undefined ? [] : ["--namespace", namespace];
  const isMistakable = args.some((arg) => arg.startsWith("-"));
  return isMistakable
    ? ["kubectl", ...verb, ...place, ...options, "--", ...args]
    : ["kubectl", ...verb, ...args, ...place, ...options];
}

function toCommands(line: Words | readonly Words[]): readonly Words[] {
  return isPipeline(line) ? line : [line];
}

function isPipeline(line: Words | readonly Words[]): line is readonly Words[] {
  return typeof line[0] !== "string";
}

function quoteAll(words: Words): string {
  return words.map(shellWord).join(" ");
}

/** A shell takes nothing between single quotes for anything else. No name that Kubernetes takes has control characters. */
function shellWord(word: string): string {
  const text = printable(word);
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

// Shared by `cluster add` and `cluster token create`: their options, and where the token that comes back goes.
import { type Join, type Role, roleNames, tokenTtlLimits } from "@fairlead/contract/client";
import { Option } from "commander";
import type { CommandContext } from "../context.ts";
import { tokenNotKept, usage } from "../errors.ts";
import { writePrivateFile } from "../files/index.ts";
import { formatSpan, parseSpan } from "../output/index.ts";

export interface JoinOptions {
  readonly role?: Role[];
  readonly ttl?: number;
  readonly tokenOut?: string;
}

export function joinOptions(): readonly Option[] {
  return [
    new Option("--role <role>", "Role of the agent (default: proxy, or those of a known cluster); can be repeated")
      .choices(roleNames)
      .argParser(collectRole),
    new Option("--ttl <time>", "Lifetime of the join token, from 1s to 7d, for example 30m (default: 1h)").argParser(
      parseTtl,
    ),
    new Option("--token-out <file>", "File to write the join token to, instead of printing it"),
  ];
}

function parseTtl(text: string): number {
  const ttlMs = parseSpan(text);
  const { minMs, maxMs } = tokenTtlLimits;
  if (ttlMs >= minMs && ttlMs <= maxMs) return ttlMs;
  throw usage(
    `A join token can't have a lifetime of ${text}.`,
    `The value must be between ${formatSpan(minMs)} and ${formatSpan(maxMs)}.`,
  );
}

function collectRole(text: string, sofar: Role[] | undefined): Role[] {
  const role = roleNames.find((name) => name === text);
  if (!role) throw usage(`There is no role '${text}'.`, `Roles are ${roleNames.join(", ")}.`);
  return [...new Set([...(sofar ?? []), role])];
}

/** The token's members in a JSON answer: with --token-out its file stands for it. */
export interface PlacedJoin extends Omit<Join, "token"> {
  readonly token?: string;
  readonly tokenFile?: string;
}

export async function placeToken(
  join: Join,
  { cluster, tokenOut }: { readonly cluster: string; readonly tokenOut: string | undefined },
): Promise<PlacedJoin> {
  const { token, helm, ...rest } = join;
  if (token === undefined) return { ...rest, ...(helm && { helm }) };
  if (tokenOut === undefined) return { ...rest, ...(helm && { helm }), token };
  try {
    await writePrivateFile(tokenOut, `${token}\n`);
  } catch (thrown) {
    throw tokenNotKept(tokenOut, cluster, thrown instanceof Error ? thrown.cause : thrown);
  }
  const file = quoteForShell(tokenOut);
  const command = join.command.replace(/--token-file \S+/, () => `--token-file ${file}`);
  const install = helm?.command.replace(/--from-file=token=\S+/, () => `--from-file=token=${file}`);
  return {
    ...rest,
    command,
    ...(helm && install !== undefined && { helm: { ...helm, command: install } }),
    tokenFile: tokenOut,
  };
}

export function describeJoin({ output, terminal }: CommandContext, join: PlacedJoin): string {
  const ways = `${indent(output.safe, join.command)}${describeHelm(output.safe, join.helm)}`;
  if (join.expiresAt === undefined) {
    return `This hub knows its agents by their mesh: there is no join token. Start the agent inside the mesh:\n\n${ways}`;
  }
  const left = formatSpan(Date.parse(join.expiresAt) - terminal.now());
  if (join.token === undefined) {
    return `The join token is in ${join.tokenFile}, good for ${left}. Start the agent with it:\n\n${ways}`;
  }
  const token = `Join token, shown this once and good for ${left}:\n\n  ${output.safe(join.token)}\n`;
  return `${token}\nPut it into the file that this names, and start the agent:\n\n${ways}`;
}

function describeHelm(safe: (text: string) => string, helm: Join["helm"]): string {
  if (helm === undefined) return "";
  const variants = helm.variants.map(({ when, before, arguments: more }) => {
    const first = before === undefined ? "" : `${indent(safe, before)}`;
    return `\n${safe(when)}, ${first && "run this first, and "}add to the last line:\n\n${first}${indent(safe, more)}`;
  });
  return `\nOr install it into the cluster, from a folder that has Fairlead's charts:\n\n${indent(safe, helm.command)}${variants.join("")}`;
}

function indent(safe: (text: string) => string, lines: string): string {
  return lines
    .split("\n")
    .map((line) => `  ${safe(line)}\n`)
    .join("");
}

function quoteForShell(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

// Shared by `cluster add` and `cluster token`: their options, and where the token that comes back goes.
import { type Join, type Role, roleNames, tokenTtlLimits } from "@fairlead/contract";
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
    new Option("--role <role>", "what the agent may do; repeat for more").choices(roleNames).argParser(collectRole),
    new Option("--ttl <time>", "how long the join token is good for, such as 30m or 7d (default: 1h)").argParser(
      parseTtl,
    ),
    new Option("--token-out <file>", "write the join token to a file instead of printing it"),
  ];
}

function parseTtl(text: string): number {
  const ttlMs = parseSpan(text);
  const { minMs, maxMs } = tokenTtlLimits;
  if (ttlMs >= minMs && ttlMs <= maxMs) return ttlMs;
  throw usage(
    `A join token can't be good for ${text}.`,
    `Between ${formatSpan(minMs)} and ${formatSpan(maxMs)} it can.`,
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
  if (tokenOut === undefined) return join;
  try {
    await writePrivateFile(tokenOut, `${join.token}\n`);
  } catch (thrown) {
    throw tokenNotKept(tokenOut, cluster, thrown instanceof Error ? thrown.cause : thrown);
  }
  const { token: _, ...rest } = join;
  const command = join.command.replace(/--token-file \S+/, () => `--token-file ${quoteForShell(tokenOut)}`);
  return { ...rest, command, tokenFile: tokenOut };
}

export function describeJoin({ output, terminal }: CommandContext, join: PlacedJoin): string {
  const left = formatSpan(Date.parse(join.expiresAt) - terminal.now());
  const command = join.command.split("\n").map((line) => `  ${output.safe(line)}\n`);
  if (join.token === undefined) {
    return `The join token is in ${join.tokenFile}, good for ${left}. Start the agent with it:\n\n${command.join("")}`;
  }
  const token = `Join token, shown this once and good for ${left}:\n\n  ${output.safe(join.token)}\n`;
  return `${token}\nPut it into the file that this names, and start the agent:\n\n${command.join("")}`;
}

function quoteForShell(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

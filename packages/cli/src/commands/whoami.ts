import type { Whoami } from "@fairlead/contract";
import type { Command } from "../command.ts";
import type { CommandContext, OpenContext } from "../context.ts";
import { formatSpan } from "../output/index.ts";

export function addWhoami(program: Command, open: OpenContext): void {
  program
    .command("whoami")
    .description("Show who you are signed in as, at which hub, until when, and with which roles")
    .examples("fairlead whoami")
    .action((_options: object, command: Command) => whoami(open(command)));
}

async function whoami(context: CommandContext): Promise<void> {
  const { output, signal } = context;
  const who = await (await context.hub()).whoami({ signal });
  const { hub, name } = await context.hubContext();
  output.answer({ ...who, hub, context: name }, () => `${output.safe(who.name)} on ${hub}\n${describe(context, who)}`);
}

function describe({ output, terminal }: CommandContext, who: Whoami): string {
  const roles = who.bindings.map(({ role, clusters, endsAt }) => {
    const until = endsAt === undefined ? "" : `, for ${formatSpan(Date.parse(endsAt) - terminal.now())} more`;
    return `${output.safe(role)} (${output.safe(clusters)}${until})`;
  });
  const facts: [string, string][] = [
    ["Signed in", `${howOf(who, terminal.environment.token !== undefined)}${untilOf(who, terminal.now())}`],
    ["Groups", output.safe(who.groups.join(", "))],
    ["Roles", roles.length === 0 ? "none, so nothing is allowed until one is bound" : roles.join(", ")],
  ];
  return facts.map(([name, value]) => `${output.colors.dim(`${name}:`.padEnd(11))}${value}\n`).join("");
}

function howOf({ kind, sessionId }: Whoami, isByVariable: boolean): string {
  if (isByVariable) return "by FAIRLEAD_TOKEN";
  const kinds = { "admin-token": "with the admin token", user: "as a person", robot: "as a robot" };
  return sessionId === undefined ? `${kinds[kind]}, without a session` : kinds[kind];
}

function untilOf({ endsAt }: Whoami, now: number): string {
  return endsAt === undefined ? "" : `, for ${formatSpan(Date.parse(endsAt) - now)} more (until ${endsAt})`;
}

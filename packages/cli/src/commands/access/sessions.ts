import type { Command } from "../../command.ts";
import type { CommandContext, OpenContext } from "../../context.ts";
import { formatSpan } from "../../output/index.ts";

export function addSessionCommands(access: Command, open: OpenContext): void {
  const session = access.command("session").description("Manage sessions");
  session
    .command("list")
    .prints("session")
    .formerly("access sessions")
    .description("List your open sessions, or those of another user")
    .examples("fairlead access session list --user alice@example.com")
    .option("--user <user>", "User whose sessions to list (default: you)")
    .action((options: { readonly user?: string }, command: Command) => listSessions(open(command), options.user));
  session
    .command("revoke")
    .formerly("access session end")
    .description("Revoke a session, and end its open streams at once")
    .examples("fairlead access session revoke ses_9k2m…")
    .argument("<session>", "ID of the session, as 'session list' shows it")
    .action((id: string, _options: object, command: Command) => endSession(open(command), id));
}

async function listSessions(context: CommandContext, user: string | undefined): Promise<void> {
  const { hub, output, signal, terminal } = context;
  const list = await (await hub()).listSessions({ user }, { signal });
  const rows = list.items.map((session) => [
    output.safe(session.id),
    output.safe(session.user),
    session.method,
    `${formatSpan(terminal.now() - Date.parse(session.createdAt))} ago`,
    `in ${formatSpan(Date.parse(session.endsAt) - terminal.now())}`,
    output.safe(session.remoteAddress),
    session.isCurrent ? "this one" : "",
  ]);
  output.answer(list, () => output.table(["SESSION", "WHO", "BY", "BEGAN", "ENDS", "FROM", ""], rows));
}

async function endSession({ hub, output, signal }: CommandContext, id: string): Promise<void> {
  await (await hub()).endSession(id, { signal });
  output.answer({ id, ended: true }, () => `Session '${output.safe(id)}' is ended.\n`);
}

import type { Command } from "../../command.ts";
import type { CommandContext, OpenContext } from "../../context.ts";
import { formatSpan } from "../../output/index.ts";
import { confirm } from "../confirm.ts";

export function addUserCommands(access: Command, open: OpenContext): void {
  const user = access.command("user").description("Manage users");
  user
    .command("list")
    .prints("user")
    .formerly("access users")
    .description("List users who have signed in with the identity provider")
    .examples("fairlead access user list")
    .action((_options: object, command: Command) => listUsers(open(command)));
  user
    .command("sign-out")
    .description("End all sessions and open streams of a user at once")
    .examples("fairlead access user sign-out alice@example.com")
    .argument("<user>", "Name of the user")
    .action((name: string, _options: object, command: Command) => signOutUser(open(command), name));
  user
    .command("delete")
    .formerly("access user remove")
    .description("Delete a user with their sessions and the bindings to them alone")
    .examples("fairlead access user delete alice@example.com")
    .argument("<user>", "Name of the user")
    .option("-y, --yes", "Don't ask for confirmation")
    .action((name: string, options: { readonly yes?: boolean }, command: Command) =>
      removeUser(open(command), name, options.yes),
    );
}

async function listUsers({ hub, output, signal, terminal }: CommandContext): Promise<void> {
  const list = await (await hub()).listUsers({ signal });
  const rows = list.items.map((user) => [
    output.safe(user.name),
    output.safe(user.groups.join(", ")),
    String(user.sessions),
    `${formatSpan(terminal.now() - Date.parse(user.lastSignedInAt))} ago`,
  ]);
  output.answer(list, () => output.table(["USER", "GROUPS", "SESSIONS", "SIGNED IN"], rows));
}

async function signOutUser({ hub, output, signal }: CommandContext, name: string): Promise<void> {
  await (await hub()).signOutUser(name, { signal });
  output.answer({ name, signedOut: true }, () => `${output.safe(name)} is signed out everywhere.\n`);
}

async function removeUser(context: CommandContext, name: string, isYes: boolean | undefined): Promise<void> {
  const { hub, output, signal, terminal } = context;
  const client = await hub();
  await confirm(terminal, {
    isYes,
    action: `remove user '${name}'`,
    question: `Remove user '${name}' and end all their sessions?`,
  });
  await client.removeUser(name, { signal });
  output.answer({ name, removed: true }, () => `User '${output.safe(name)}' is removed.\n`);
}

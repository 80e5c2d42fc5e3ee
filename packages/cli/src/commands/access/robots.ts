import type { Command } from "../../command.ts";
import type { CommandContext, OpenContext } from "../../context.ts";
import { formatSpan, parseSpan } from "../../output/index.ts";
import { confirm } from "../confirm.ts";
import { addRobotToken } from "./robot-token.ts";

export function addRobotCommands(access: Command, open: OpenContext): void {
  const robot = access.command("robot").description("Manage robots: accounts for programs");
  robot
    .command("list")
    .prints("robot")
    .formerly("access robots")
    .description("List robots")
    .examples("fairlead access robot list")
    .action((_options: object, command: Command) => listRobots(open(command)));
  robot
    .command("create")
    .formerly("access robot add")
    .description("Create a robot; it has no rights until a role is bound to it")
    .examples('fairlead access robot create ci --ttl 30d --description "deploys the shop"')
    .argument("<robot>", "Name of the robot: lower-case letters, digits and '-'")
    .option("--ttl <time>", "Maximum lifetime of the robot's tokens (default: 90d)", parseSpan)
    .option("--description <text>", "Description of what the robot is for")
    .action((name: string, options: { readonly ttl?: number; readonly description?: string }, command: Command) =>
      addRobot(open(command), { name, ttlMs: options.ttl, description: options.description }),
    );
  robot
    .command("get")
    .prints("robot")
    .formerly("access robot show")
    .description("Show a robot with its tokens: when they expire, and when they were last used")
    .examples("fairlead access robot get ci")
    .argument("<robot>", "Name of the robot")
    .action((name: string, _options: object, command: Command) => showRobot(open(command), name));
  const token = robot.command("token").description("Manage a robot's tokens");
  addRobotToken(token, open);
  token
    .command("revoke")
    .formerly("access robot revoke")
    .description("Revoke a token of a robot; its open streams end at once")
    .examples("fairlead access robot token revoke ci flb_1a2b…")
    .argument("<robot>", "Name of the robot")
    .argument("<token>", "ID of the token, as 'robot get' shows it")
    .action((name: string, id: string, _options: object, command: Command) => revokeToken(open(command), name, id));
  robot
    .command("delete")
    .formerly("access robot remove")
    .description("Delete a robot with its tokens and bindings")
    .examples("fairlead access robot delete ci")
    .argument("<robot>", "Name of the robot")
    .option("-y, --yes", "Don't ask for confirmation")
    .action((name: string, options: { readonly yes?: boolean }, command: Command) =>
      removeRobot(open(command), name, options.yes),
    );
}

async function listRobots({ hub, output, signal, terminal }: CommandContext): Promise<void> {
  const list = await (await hub()).listRobots({ signal });
  const rows = list.items.map((robot) => {
    const used = robot.tokens.flatMap(({ lastUsedAt }) => (lastUsedAt === undefined ? [] : [Date.parse(lastUsedAt)]));
    return [
      output.safe(robot.name),
      String(robot.tokens.filter(({ expiresAt }) => Date.parse(expiresAt) > terminal.now()).length),
      used.length === 0 ? "never" : `${formatSpan(terminal.now() - Math.max(...used))} ago`,
      output.safe(robot.description),
    ];
  });
  output.answer(list, () => output.table(["ROBOT", "TOKENS", "LAST USED", "DESCRIPTION"], rows));
}

async function addRobot(
  { hub, output, signal }: CommandContext,
  request: { readonly name: string; readonly ttlMs: number | undefined; readonly description: string | undefined },
): Promise<void> {
  const robot = await (await hub()).createRobot(request, { signal });
  const name = output.safe(robot.name);
  output.answer(robot, () => `Robot '${name}' is made.\n`);
  output.remark(
    `Next: 'fairlead access binding create ROLE --robot ${name} --cluster NAME', then 'fairlead access robot token create ${name} --token-out FILE'.`,
  );
}

async function showRobot({ hub, output, signal, terminal }: CommandContext, name: string): Promise<void> {
  const robot = await (await hub()).getRobot(name, { signal });
  const rows = robot.tokens.map((token) => {
    const leftMs = Date.parse(token.expiresAt) - terminal.now();
    return [
      output.safe(token.id),
      leftMs > 0 ? `in ${formatSpan(leftMs)}` : `${formatSpan(leftMs)} ago`,
      token.lastUsedAt === undefined ? "never" : `${formatSpan(terminal.now() - Date.parse(token.lastUsedAt))} ago`,
      output.safe(token.scope?.clusters?.join(", ") ?? "all its own"),
      output.safe(token.scope?.verbs?.join(", ") ?? "all its own"),
    ];
  });
  const title = `${output.safe(robot.name)}: ${output.safe(robot.description)}; tokens live at most ${formatSpan(robot.ttlMs)}\n`;
  output.answer(robot, () => title + output.table(["TOKEN", "ENDS", "LAST USED", "CLUSTERS", "VERBS"], rows));
}

async function revokeToken({ hub, output, signal }: CommandContext, name: string, id: string): Promise<void> {
  await (await hub()).revokeRobotToken(name, id, { signal });
  output.answer({ robot: name, id, revoked: true }, () => `Token '${output.safe(id)}' is revoked.\n`);
}

async function removeRobot(context: CommandContext, name: string, isYes: boolean | undefined): Promise<void> {
  const { hub, output, signal, terminal } = context;
  const client = await hub();
  await confirm(terminal, { isYes, action: `remove robot '${name}'`, question: `Remove robot '${name}'?` });
  await client.removeRobot(name, { signal });
  output.answer({ name, removed: true }, () => `Robot '${output.safe(name)}' is removed.\n`);
}

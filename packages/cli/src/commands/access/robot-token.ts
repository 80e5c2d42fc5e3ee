import type { HubClient, NewRobotToken } from "@fairlead/contract";
import type { Command } from "../../command.ts";
import type { CommandContext, OpenContext } from "../../context.ts";
import { writePrivateFile } from "../../files/index.ts";
import { formatSpan, parseSpan } from "../../output/index.ts";
import { collectText } from "../collect.ts";

interface TokenOptions {
  readonly ttl?: number;
  readonly cluster?: string[];
  readonly verb?: string[];
  readonly tokenOut: string;
}

export function addRobotToken(token: Command, open: OpenContext): void {
  token
    .command("create")
    .formerly("access robot token")
    .description("Create a token for a robot; the hub shows the token only once")
    .examples("fairlead access robot token create ci --ttl 7d --cluster east --token-out ./ci.token")
    .argument("<robot>", "Name of the robot")
    .requiredOption("--token-out <file>", "File to write the token to, readable only by you; - for standard output")
    .option(
      "--ttl <time>",
      "Lifetime of the token, for example 1h (default: 30d, or the robot's maximum if that is shorter)",
      parseSpan,
    )
    .option("--cluster <cluster>", "Limit the token to this cluster; can be repeated", collectText)
    .option("--verb <verb>", "Limit the token to this verb; can be repeated", collectText)
    .action((name: string, options: TokenOptions, command: Command) => makeToken(open(command), name, options));
}

const usualTtlMs = 30 * 86_400_000;

async function makeToken(context: CommandContext, name: string, options: TokenOptions): Promise<void> {
  const { output, signal, terminal } = context;
  const { cluster: clusters, verb: verbs, tokenOut } = options;
  const scope = clusters === undefined && verbs === undefined ? undefined : { clusters, verbs };
  const client = await context.hub();
  const ttlMs = options.ttl ?? Math.min(usualTtlMs, (await client.getRobot(name, { signal })).ttlMs);
  const made = await client.createRobotToken(name, { ttlMs, scope }, { signal });

  const { token, ...rest } = made;
  const left = formatSpan(Date.parse(made.expiresAt) - terminal.now());
  if (tokenOut === "-") {
    output.remark(`Token '${output.safe(made.id)}' of robot '${name}', good for ${left}:`);
    return output.answer({ robot: name, ...made }, () => `${output.safe(token)}\n`);
  }
  await keep(client, { name, made, tokenOut });
  output.answer(
    { robot: name, ...rest, tokenFile: tokenOut },
    () => `The token '${output.safe(made.id)}' of robot '${name}' is in ${tokenOut}, good for ${left}.\n`,
  );
}

/** A token that nobody can have read is of no use, and must not stay good. */
async function keep(
  client: HubClient,
  { name, made, tokenOut }: { readonly name: string; readonly made: NewRobotToken; readonly tokenOut: string },
): Promise<void> {
  try {
    await writePrivateFile(tokenOut, `${made.token}\n`);
  } catch (thrown) {
    await client.revokeRobotToken(name, made.id).catch(() => undefined);
    throw thrown;
  }
}

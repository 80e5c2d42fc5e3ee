import type { HubVersion } from "@fairlead/contract";
import type { Command } from "../command.ts";
import { findHubContext } from "../config/index.ts";
import { connectOpenly } from "../connection/index.ts";
import type { CommandContext, OpenContext } from "../context.ts";
import { clientVersion } from "../version.ts";

export function addVersion(program: Command, open: OpenContext): void {
  program
    .command("version")
    .description("Print the versions of this command and of the hub")
    .examples("fairlead version")
    .action((_options: object, command: Command) => version(open(command)));
}

async function version({ contextRef, terminal, output, signal }: CommandContext): Promise<void> {
  const client = { version: clientVersion, node: process.versions.node };
  const answer = (hub: HubVersion | null, hubLine: string): void =>
    output.answer({ client, hub }, () => `Client  ${client.version}\nHub     ${hubLine}\n`);

  let hub: HubVersion | undefined;
  try {
    const hubContext = await findHubContext(contextRef);
    hub = hubContext && (await connectOpenly(hubContext, terminal).version({ signal }));
  } catch (thrown) {
    // The client's version is known whatever is wrong with the hub, and wanted most just then.
    answer(null, "unknown");
    throw thrown;
  }
  answer(hub ?? null, hub ? `${output.safe(hub.version)} (${output.safe(hub.trustDomain)})` : "not signed in");
}

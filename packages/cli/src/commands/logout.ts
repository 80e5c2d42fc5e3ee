import { isFairleadError } from "@fairlead/kernel";
import type { Command } from "../command.ts";
import { dropSession, type NamedHubContext } from "../config/index.ts";
import { connectHub } from "../connection/index.ts";
import type { CommandContext, OpenContext } from "../context.ts";
import { logoutUntold } from "../errors.ts";

export function addLogout(program: Command, open: OpenContext): void {
  program
    .command("logout")
    .description("Sign out, here and at the hub")
    .examples("fairlead logout")
    .action((_options: object, command: Command) => logout(open(command)));
}

/** Here it ends in any case; that the hub wasn't told is an error all the same. */
async function logout(context: CommandContext): Promise<void> {
  const { output, contextRef } = context;
  const hubContext = await context.hubContext();
  if (!hubContext.session) {
    return output.answer(
      { hub: hubContext.hub, signedOut: true },
      () => `You were signed out of ${hubContext.hub} already.\n`,
    );
  }
  let untold: unknown;
  try {
    await endSession(context, hubContext);
  } catch (thrown) {
    untold = thrown;
  }
  await dropSession(contextRef.file, hubContext.name);
  if (untold !== undefined) throw context.signal.aborted ? untold : logoutUntold(hubContext.hub, untold);
  output.answer({ hub: hubContext.hub, signedOut: true }, () => `Signed out of ${hubContext.hub}.\n`);
}

async function endSession(
  { terminal, contextRef, signal }: CommandContext,
  hubContext: NamedHubContext,
): Promise<void> {
  // The session is what ends, whatever token the environment offers.
  const environment = { ...terminal.environment, token: undefined };
  try {
    await connectHub(hubContext, { ...terminal, environment }, contextRef.file).endCurrentSession({ signal });
  } catch (thrown) {
    // It has ended without us.
    if (isFairleadError(thrown) && thrown.httpStatus === 401) return;
    throw thrown;
  }
}

import { isFairleadError } from "@fairlead/kernel";
import type { Command } from "../command.ts";
import { dropSession, type NamedProfile } from "../config/index.ts";
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
  const { output, profileRef } = context;
  const profile = await context.profile();
  if (!profile.session) {
    return output.answer(
      { hub: profile.hub, signedOut: true },
      () => `You were signed out of ${profile.hub} already.\n`,
    );
  }
  let untold: unknown;
  try {
    await endSession(context, profile);
  } catch (thrown) {
    untold = thrown;
  }
  await dropSession(profileRef.file, profile.name);
  if (untold !== undefined) throw context.signal.aborted ? untold : logoutUntold(profile.hub, untold);
  output.answer({ hub: profile.hub, signedOut: true }, () => `Signed out of ${profile.hub}.\n`);
}

async function endSession({ terminal, profileRef, signal }: CommandContext, profile: NamedProfile): Promise<void> {
  // The session is what ends, whatever token the environment offers.
  const environment = { ...terminal.environment, token: undefined };
  try {
    await connectHub(profile, { ...terminal, environment }, profileRef.file).endCurrentSession({ signal });
  } catch (thrown) {
    // It has ended without us.
    if (isFairleadError(thrown) && thrown.httpStatus === 401) return;
    throw thrown;
  }
}

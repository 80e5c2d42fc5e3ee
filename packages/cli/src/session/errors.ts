import { defineErrors, type FairleadError } from "@fairlead/kernel";
import { type NamedProfile, profileNameOf } from "../config/index.ts";

const sessionErrors = defineErrors({
  CLI_SIGNED_OUT: { httpStatus: 401, message: "You are signed out of {hub}.", hint: "Run '{command}'." },
  CLI_SESSION_ENDED: {
    httpStatus: 401,
    message: "Your sign-in to {hub} has ended.",
    hint: "Run '{command}' to sign in again.",
  },
});

export function signedOut(profile: NamedProfile): FairleadError {
  return sessionErrors.CLI_SIGNED_OUT({ hub: profile.hub, command: loginCommand(profile) });
}

export function sessionEnded(profile: NamedProfile, cause: unknown): FairleadError {
  return sessionErrors.CLI_SESSION_ENDED({ hub: profile.hub, command: loginCommand(profile), cause });
}

/** Into the same context: a kubeconfig names it. */
function loginCommand({ hub, name }: NamedProfile): string {
  return name === profileNameOf(hub) ? `fairlead login ${hub}` : `fairlead login ${hub} --context ${name}`;
}

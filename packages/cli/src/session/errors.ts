import { defineErrors, type FairleadError } from "@fairlead/kernel";
import { type NamedProfile, profileNameOf } from "../config/index.ts";

const sessionErrors = defineErrors({
  CLI_SIGNED_OUT: {
    httpStatus: 401,
    message: "You are signed out of {hub}.",
    hint: "Run '{command}'.",
    meaning: "The context is signed out.",
    remedy: "Run `fairlead login` again.",
  },
  CLI_SESSION_ENDED: {
    httpStatus: 401,
    message: "Your sign-in to {hub} has ended.",
    hint: "Run '{command}' to sign in again.",
    meaning: "The hub takes the session no longer: it ended, was ended, or the account was removed.",
    remedy: "Run `fairlead login` again.",
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

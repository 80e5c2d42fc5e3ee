import { defineErrors, type FairleadError } from "@fairlead/kernel";
import { contextNameOf, type NamedHubContext } from "../config/index.ts";

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
    meaning: "The hub no longer accepts the session: it expired, was ended, or the account was deleted.",
    remedy: "Run `fairlead login` again.",
  },
});

export function signedOut(hubContext: NamedHubContext): FairleadError {
  return sessionErrors.CLI_SIGNED_OUT({ hub: hubContext.hub, command: loginCommand(hubContext) });
}

export function sessionEnded(hubContext: NamedHubContext, cause: unknown): FairleadError {
  return sessionErrors.CLI_SESSION_ENDED({ hub: hubContext.hub, command: loginCommand(hubContext), cause });
}

/** Into the same context: a kubeconfig names it. */
function loginCommand({ hub, name }: NamedHubContext): string {
  return name === contextNameOf(hub) ? `fairlead login ${hub}` : `fairlead login ${hub} --context ${name}`;
}

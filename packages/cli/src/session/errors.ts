import { FairleadError } from "@fairlead/kernel";
import { type NamedProfile, profileNameOf } from "../config/index.ts";

export function signedOut(profile: NamedProfile): FairleadError {
  return new FairleadError({
    code: "CLI_SIGNED_OUT",
    message: `You are signed out of ${profile.hub}.`,
    hint: `Run '${loginCommand(profile)}'.`,
    httpStatus: 401,
  });
}

export function sessionEnded(profile: NamedProfile, cause: unknown): FairleadError {
  return new FairleadError({
    code: "CLI_SESSION_ENDED",
    message: `Your sign-in to ${profile.hub} has ended.`,
    hint: `Run '${loginCommand(profile)}' to sign in again.`,
    httpStatus: 401,
    cause,
  });
}

/** Into the same profile: a kubeconfig names it. */
function loginCommand({ hub, name }: NamedProfile): string {
  return name === profileNameOf(hub) ? `fairlead login ${hub}` : `fairlead login ${hub} --profile ${name}`;
}

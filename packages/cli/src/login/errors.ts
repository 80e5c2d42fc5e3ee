import { FairleadError } from "@fairlead/kernel";

export function loginTimedOut(after: string): FairleadError {
  return new FairleadError({
    code: "CLI_LOGIN_TIMEOUT",
    message: `Nobody finished the sign-in within ${after}.`,
    hint: "Run 'fairlead login' again.",
  });
}

export function loginRefused(why: string): FairleadError {
  return new FairleadError({
    code: "CLI_LOGIN_REFUSED",
    message: `The sign-in was refused: ${why}.`,
    hint: "Ask whoever runs the hub, or sign in as someone else.",
    httpStatus: 401,
  });
}

export function loginMethodMissing(method: string, hub: string): FairleadError {
  return new FairleadError({
    code: "CLI_LOGIN_METHOD_MISSING",
    message: `${hub} has no sign-in by ${method}.`,
    hint: "Sign in with a token: --token-file FILE, or FAIRLEAD_TOKEN.",
    httpStatus: 400,
  });
}

export function loopbackFailed(cause: unknown): FairleadError {
  return new FairleadError({
    code: "CLI_LOOPBACK_FAILED",
    message: "No port can be opened on 127.0.0.1 for the browser to come back to.",
    hint: "Sign in with --device, or with a token.",
    cause,
  });
}

import { FairleadError } from "@fairlead/kernel";

export function liveRequestInvalid(problem: string): FairleadError {
  return new FairleadError({
    code: "LIVE_REQUEST_INVALID",
    message: `The live connection can't be used like this: ${problem}.`,
    hint: "docs/live.md says what goes over it.",
    httpStatus: 400,
  });
}

export function liveTooMany(what: string): FairleadError {
  return new FairleadError({
    code: "LIVE_TOO_MANY",
    message: `There are too many ${what}.`,
    hint: "Close those that aren't needed. One connection carries many subscriptions.",
    httpStatus: 429,
    retryable: true,
  });
}

export function liveRightsChanged(): FairleadError {
  return new FairleadError({
    code: "LIVE_RIGHTS_CHANGED",
    message: "What you may see has changed since the subscription began.",
    hint: "Subscribe again without a cursor.",
    httpStatus: 403,
    retryable: true,
  });
}

export function liveSignedOut(): FairleadError {
  return new FairleadError({
    code: "LIVE_SIGNED_OUT",
    message: "The sign-in that this live connection began with is over.",
    hint: "Sign in again and open a new one.",
    httpStatus: 401,
  });
}

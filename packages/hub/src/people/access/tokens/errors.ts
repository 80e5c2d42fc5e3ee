import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  AUTH_REQUIRED: {
    httpStatus: 401,
    message: "This needs a sign-in: the request carries no bearer token.",
    hint: "Run `fairlead login`, or send the header `Authorization: Bearer <token>`.",
  },
  AUTH_INVALID: {
    httpStatus: 401,
    message: "The hub doesn't know this bearer token.",
    hint: "Sign in again with `fairlead login`. A hub with a new data folder has a new token, and so has one that was started again before anybody signed in.",
  },
  AUTH_EXPIRED: {
    httpStatus: 401,
    message: "The time of this bearer token is over.",
    hint: "Get the next one with the session's refresh token; when the session is over, or for a robot's token, sign in again.",
    meaning: "The time of an access token or of a robot's token is over.",
    remedy: "Clients get the next access token with the refresh token; else sign in again.",
  },
  AUTH_TOO_MANY_UNKNOWN: {
    httpStatus: 503,
    retryable: true,
    message: "The hub is looking for very many tokens that it doesn't know.",
    hint: "Try again in a moment. Somebody may be guessing tokens: see who sends requests that are refused with 401.",
    meaning: "The hub is looking for a thousand tokens already that it doesn't know, as another hub may.",
  },
  ADMIN_TOKEN_FILE_UNUSABLE: {
    httpStatus: 409,
    message: "The admin token can't be written to {file}: {reason}. None was made.",
    hint: "Name another file by --admin-token-out, or `--admin-token-out -` to have it on the standard output.",
    meaning:
      "`fairlead-hub admin-token new` can't write to the file that `--admin-token-out` names, or the file is there already. No token was made.",
  },
  AUTH_TOO_MANY_FAILURES: {
    httpStatus: 429,
    retryable: true,
    message: "Too many sign-ins from this address have failed.",
    hint: "Wait a minute.",
    meaning: "Too many sign-ins from one address have failed within a minute.",
  },
} as const;

export const tokenErrors: Errors<typeof table> = defineErrors(table);

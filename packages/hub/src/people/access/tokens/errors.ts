import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  AUTH_REQUIRED: {
    httpStatus: 401,
    message: "The request has no bearer token.",
    hint: "Run `fairlead login`, or send the header `Authorization: Bearer <token>`.",
  },
  AUTH_INVALID: {
    httpStatus: 401,
    message: "The bearer token is unknown to the hub.",
    hint: "Sign in again: `fairlead login`. The admin token changes when the hub gets a new data folder, or restarts before its first sign-in.",
  },
  AUTH_EXPIRED: {
    httpStatus: 401,
    message: "The bearer token has expired.",
    hint: "Use the session's refresh token to get a new one. If the session has ended, or for a robot's token, sign in again.",
    meaning: "An access token or a robot's token has expired.",
    remedy: "Clients use the refresh token to get a new access token; otherwise sign in again.",
  },
  AUTH_TOO_MANY_UNKNOWN: {
    httpStatus: 503,
    retryable: true,
    message: "The hub is looking up too many unknown tokens.",
    hint: "Retry in a moment. An attacker may be guessing tokens: find the source of the requests that fail with 401.",
    meaning: "The hub is already looking up 1,000 unknown tokens, which another hub may have issued.",
  },
  ADMIN_TOKEN_FILE_UNUSABLE: {
    httpStatus: 409,
    message: "The hub can't write the admin token to {file}: {reason}. No token was created.",
    hint: "Choose another file with --admin-token-out, or use `--admin-token-out -` for standard output.",
    meaning:
      "`fairlead-hub admin-token new` can't write to the file of `--admin-token-out`, or the file already exists. No token was created.",
  },
  AUTH_TOO_MANY_FAILURES: {
    httpStatus: 429,
    retryable: true,
    message: "Too many sign-ins from this address failed.",
    hint: "Wait a minute.",
    meaning: "Too many sign-ins from one address failed within a minute.",
  },
} as const;

export const tokenErrors: Errors<typeof table> = defineErrors(table);

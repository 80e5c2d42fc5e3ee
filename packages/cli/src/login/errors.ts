import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  CLI_LOGIN_TIMEOUT: {
    message: "Nobody finished the sign-in within {after}.",
    hint: "Run 'fairlead login' again.",
    meaning: "Nobody finished the sign-in in the browser.",
  },
  CLI_LOGIN_REFUSED: {
    httpStatus: 401,
    message: "The sign-in was refused: {why}.",
    hint: "Ask the people who run the hub, or sign in as someone else.",
    meaning: "The identity provider or the hub refused the sign-in; the message says why.",
  },
  CLI_LOGIN_METHOD_MISSING: {
    httpStatus: 400,
    message: "{hub} has no sign-in by {method}.",
    hint: "Sign in with a token: --token-file FILE, or FAIRLEAD_TOKEN.",
    meaning: "`login` was told to use a way of signing in that the hub doesn't offer.",
    remedy: "Sign in with a token, or have an identity provider set up at the hub.",
  },
  CLI_LOOPBACK_FAILED: {
    message: "No port can be opened on 127.0.0.1 for the browser to come back to.",
    hint: "Sign in with --device, or with a token.",
  },
} as const;

export const loginErrors: Errors<typeof table> = defineErrors(table);

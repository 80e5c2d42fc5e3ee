import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  CLI_LOGIN_TIMEOUT: {
    message: "The sign-in wasn't completed within {after}.",
    hint: "Run 'fairlead login' again.",
    meaning: "The sign-in wasn't completed in the browser in time.",
  },
  CLI_LOGIN_REFUSED: {
    httpStatus: 401,
    message: "The sign-in failed: {why}.",
    hint: "Ask the hub's administrators, or sign in as another user.",
    meaning: "The identity provider or the hub rejected the sign-in; the message gives the reason.",
  },
  CLI_LOGIN_METHOD_MISSING: {
    httpStatus: 400,
    message: "{hub} doesn't offer sign-in by {method}.",
    hint: "Sign in with a token: --token-file FILE, or FAIRLEAD_TOKEN.",
    meaning: "`login` names a sign-in method that the hub doesn't offer.",
    remedy: "Sign in with a token, or ask the hub's administrators to configure an identity provider.",
  },
  CLI_LOOPBACK_FAILED: {
    message: "The CLI can't open a port on 127.0.0.1 for the browser's redirect.",
    hint: "Sign in with --device, or with a token.",
  },
} as const;

export const loginErrors: Errors<typeof table> = defineErrors(table);

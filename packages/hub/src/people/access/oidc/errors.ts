import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  AUTH_OIDC_OFF: {
    httpStatus: 404,
    message: "This hub has no identity provider to sign in with.",
    hint: "Sign in with a token, or ask an admin to set the hub's --oidc-issuer.",
  },
  AUTH_OIDC_UNAVAILABLE: {
    httpStatus: 503,
    retryable: true,
    message: "The identity provider {issuer} can't be asked: {reason}.",
    hint: "Try again in a moment. If it stays: check the provider, the hub's way there, and --oidc-ca-file.",
    meaning: "The identity provider can't be reached or asked; the message says why.",
  },
  AUTH_OIDC_REFUSED: {
    httpStatus: 401,
    message: "The identity provider refused the sign-in: {reason}.",
    hint: "Sign in again. `invalid_client` means that the hub's client id or secret is wrong.",
    meaning: "The identity provider refused the sign-in; the message has its reason.",
  },
  AUTH_OIDC_ANSWER_INVALID: {
    httpStatus: 401,
    message: "The identity provider's answer can't be trusted or understood: {reason}.",
    hint: "Sign in again from the beginning. If it stays, compare the hub's --oidc-… settings with the provider's.",
    meaning:
      "The identity provider's answer didn't pass the checks (issuer, audience, signature, times, nonce), or lacks a claim that is needed; the message says which.",
  },
  AUTH_OIDC_REDIRECT_REFUSED: {
    httpStatus: 400,
    message: "A sign-in can't end at this redirect_uri.",
    hint: "It must be http://127.0.0.1:PORT, http://[::1]:PORT or http://localhost:PORT with any path, or the hub's own address.",
    meaning: "A sign-in was to end somewhere else than on loopback or at the hub.",
  },
  AUTH_OIDC_FLOW_UNKNOWN: {
    httpStatus: 400,
    message: "This sign-in wasn't begun here, is finished already, or took too long.",
    hint: "Begin again with `fairlead login`.",
    meaning: "A browser came back to the hub with a sign-in that it doesn't know, or no longer.",
  },
  AUTH_OIDC_CODE_INVALID: {
    httpStatus: 401,
    message: "This login code was used before, is over a minute old, or isn't for its sender.",
    hint: "Begin again with `fairlead login`.",
    meaning: "A login code was used before, is over a minute old, or came with another verifier.",
    remedy: "Sign in again.",
  },
  AUTH_OIDC_USER_REFUSED: {
    httpStatus: 403,
    message: "The identity provider let you in, but this hub can't: {reason}.",
    hint: "Ask an admin of the hub or of the provider.",
    meaning:
      "The provider let someone in whom the hub can't: in none of the allowed groups, or with a name that is kept for others.",
  },
  AUTH_OIDC_LOGOUT_INVALID: {
    httpStatus: 400,
    message: "This logout token can't be trusted or understood: {reason}.",
    hint: "The identity provider sends a new one for each sign-out. If it stays, compare the hub's --oidc-… settings with the provider's, and both clocks.",
    meaning:
      "A logout token (back-channel logout) didn't pass the checks: signature, issuer, audience, times, event, or it was used before; the message says which.",
    remedy:
      "Nothing, when a stranger sent it. If it was the provider, compare the hub's `--oidc-…` settings with the provider's, and both clocks.",
  },
  AUTH_OIDC_DEVICE_UNSUPPORTED: {
    httpStatus: 501,
    message: "The identity provider has no device flow.",
    hint: "Sign in with a browser on this machine: `fairlead login --oidc`.",
  },
  AUTH_OIDC_DEVICE_ENDED: {
    httpStatus: 410,
    message: "This device sign-in wasn't begun here, is finished already, or took too long.",
    hint: "Begin again with `fairlead login --device`.",
  },
} as const;

export const oidcErrors: Errors<typeof table> = defineErrors(table);

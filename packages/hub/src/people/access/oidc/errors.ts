import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  AUTH_OIDC_OFF: {
    httpStatus: 404,
    message: "This hub has no identity provider.",
    hint: "Sign in with a token, or ask an admin to set the hub's --oidc-issuer.",
  },
  AUTH_OIDC_UNAVAILABLE: {
    httpStatus: 503,
    retryable: true,
    message: "The hub can't reach the identity provider {issuer}: {reason}.",
    hint: "Retry in a moment. If the error persists, check the provider, the network from the hub to it, and --oidc-ca-file.",
    meaning: "The hub can't reach the identity provider; the message says why.",
  },
  AUTH_OIDC_REFUSED: {
    httpStatus: 401,
    message: "The identity provider rejected the sign-in: {reason}.",
    hint: "Sign in again. `invalid_client` means that the hub's client ID or secret is wrong.",
    meaning: "The identity provider rejected the sign-in; the message contains its reason.",
  },
  AUTH_OIDC_ANSWER_INVALID: {
    httpStatus: 401,
    message: "The identity provider's response is invalid: {reason}.",
    hint: "Sign in again. If the error persists, compare the hub's --oidc-… settings with the provider's.",
    meaning:
      "The identity provider's response failed a check (issuer, audience, signature, times, nonce) or lacks a required claim; the message says which.",
  },
  AUTH_OIDC_REDIRECT_REFUSED: {
    httpStatus: 400,
    message: "The redirect_uri isn't allowed.",
    hint: "Use http://127.0.0.1:PORT, http://[::1]:PORT or http://localhost:PORT with any path, or the hub's own address.",
    meaning: "The redirect_uri is neither a loopback address nor the hub's own address.",
  },
  AUTH_OIDC_FLOW_UNKNOWN: {
    httpStatus: 400,
    message: "The sign-in has expired, has already finished, or wasn't started at this hub.",
    hint: "Start again: `fairlead login`.",
  },
  AUTH_OIDC_CODE_INVALID: {
    httpStatus: 401,
    message: "The login code was already used, is more than a minute old, or was issued to another client.",
    hint: "Start again: `fairlead login`.",
    meaning: "The login code was already used, is more than a minute old, or came with a different verifier.",
    remedy: "Sign in again.",
  },
  AUTH_OIDC_USER_REFUSED: {
    httpStatus: 403,
    message: "The identity provider accepted the sign-in, but this hub doesn't: {reason}.",
    hint: "Ask an admin of the hub or of the identity provider.",
    meaning:
      "The identity provider accepted the user, but the hub doesn't: the user is in none of the allowed groups, or has a reserved name.",
  },
  AUTH_OIDC_LOGOUT_INVALID: {
    httpStatus: 400,
    message: "The logout token is invalid: {reason}.",
    hint: "The identity provider sends a new token for each sign-out. If the error persists, compare the hub's --oidc-… settings with the provider's, and check both clocks.",
    meaning:
      "A logout token (back-channel logout) failed a check (signature, issuer, audience, times, event) or was already used; the message says which.",
    remedy:
      "Ignore it if the token didn't come from the provider. If it did, compare the hub's `--oidc-…` settings with the provider's, and check both clocks.",
  },
  AUTH_OIDC_DEVICE_UNSUPPORTED: {
    httpStatus: 501,
    message: "The identity provider doesn't support the device flow.",
    hint: "Sign in with a browser on this machine: `fairlead login --oidc`.",
  },
  AUTH_OIDC_DEVICE_ENDED: {
    httpStatus: 410,
    message: "The device sign-in has expired, has already finished, or wasn't started at this hub.",
    hint: "Start again: `fairlead login --device`.",
  },
} as const;

export const oidcErrors: Errors<typeof table> = defineErrors(table);

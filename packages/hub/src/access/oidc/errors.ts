import { FairleadError } from "@fairlead/kernel";

export function oidcOff(): FairleadError {
  return new FairleadError({
    code: "AUTH_OIDC_OFF",
    message: "This hub has no identity provider to sign in with.",
    hint: "Sign in with a token, or ask an admin to set the hub's --oidc-issuer.",
    httpStatus: 404,
  });
}

export function oidcUnavailable(issuer: string, reason: string, cause?: unknown): FairleadError {
  return new FairleadError({
    code: "AUTH_OIDC_UNAVAILABLE",
    message: `The identity provider ${issuer} can't be asked: ${reason}.`,
    hint: "Try again in a moment. If it stays: check the provider, the hub's way there, and --oidc-ca-file.",
    httpStatus: 503,
    retryable: true,
    cause,
  });
}

export function oidcRefused(reason: string, cause?: unknown): FairleadError {
  return new FairleadError({
    code: "AUTH_OIDC_REFUSED",
    message: `The identity provider refused the sign-in: ${reason}.`,
    hint: "Sign in again. `invalid_client` means that the hub's client id or secret is wrong.",
    httpStatus: 401,
    cause,
  });
}

export function oidcAnswerInvalid(reason: string, cause?: unknown): FairleadError {
  return new FairleadError({
    code: "AUTH_OIDC_ANSWER_INVALID",
    message: `The identity provider's answer can't be trusted or understood: ${reason}.`,
    hint: "Sign in again from the beginning. If it stays, compare the hub's --oidc-… settings with the provider's.",
    httpStatus: 401,
    cause,
  });
}

export function redirectRefused(): FairleadError {
  return new FairleadError({
    code: "AUTH_OIDC_REDIRECT_REFUSED",
    message: "A sign-in can't end at this redirect_uri.",
    hint: "It must be http://127.0.0.1:PORT, http://[::1]:PORT or http://localhost:PORT with any path, or the hub's own address.",
    httpStatus: 400,
  });
}

export function flowUnknown(): FairleadError {
  return new FairleadError({
    code: "AUTH_OIDC_FLOW_UNKNOWN",
    message: "This sign-in wasn't begun here, is finished already, or took too long.",
    hint: "Begin again with `fairlead login`.",
    httpStatus: 400,
  });
}

export function codeInvalid(): FairleadError {
  return new FairleadError({
    code: "AUTH_OIDC_CODE_INVALID",
    message: "This login code was used before, is over a minute old, or isn't for who sends it.",
    hint: "Begin again with `fairlead login`.",
    httpStatus: 401,
  });
}

export function userRefused(reason: string): FairleadError {
  return new FairleadError({
    code: "AUTH_OIDC_USER_REFUSED",
    message: `The identity provider let you in, but this hub can't: ${reason}.`,
    hint: "Ask an admin of the hub or of the provider.",
    httpStatus: 403,
  });
}

export function deviceUnsupported(): FairleadError {
  return new FairleadError({
    code: "AUTH_OIDC_DEVICE_UNSUPPORTED",
    message: "The identity provider has no device flow.",
    hint: "Sign in with a browser on this machine: `fairlead login --oidc`.",
    httpStatus: 501,
  });
}

export function deviceEnded(): FairleadError {
  return new FairleadError({
    code: "AUTH_OIDC_DEVICE_ENDED",
    message: "This device sign-in wasn't begun here, is finished already, or took too long.",
    hint: "Begin again with `fairlead login --device`.",
    httpStatus: 410,
  });
}

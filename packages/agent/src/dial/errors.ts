import { FairleadError } from "@fairlead/kernel";

export function caFileUnusable(path: string, detail: string, cause?: unknown): FairleadError {
  return new FairleadError({
    code: "LINK_CA_FILE_UNUSABLE",
    message: `The CA file ${path} can't be used: ${detail}.`,
    hint: "--ca-file names a PEM file of certificates to trust in addition, or `system`.",
    retryable: true,
    cause,
  });
}

export function proxyInvalid(source: string): FairleadError {
  return new FairleadError({
    code: "CONFIG_PROXY_INVALID",
    message: `What ${source} says isn't the URL of an HTTP proxy.`,
    hint: "It looks like http://USER:PASSWORD@HOST:PORT or https://HOST:PORT; other kinds of proxies aren't supported.",
  });
}

export function proxyFailed(proxy: URL, detail: string, cause?: unknown): FairleadError {
  return new FairleadError({
    code: "LINK_PROXY_FAILED",
    message: `The HTTP proxy ${proxy.host} doesn't let the agent through: ${detail}.`,
    hint: "Check HTTPS_PROXY or --proxy, its credentials, and that it allows CONNECT to the hub; NO_PROXY names exceptions.",
    retryable: true,
    cause,
  });
}

export function caMismatch(hub: URL): FairleadError {
  return new FairleadError({
    code: "ENROLL_CA_MISMATCH",
    message: `What answers at ${hub.host} isn't the hub that made this token: its CA has another fingerprint.`,
    hint: "Check the hub address and that the token is from this hub. The token was not sent. Where something on the way ends TLS, name its CA with --ca-file.",
    httpStatus: 502,
  });
}

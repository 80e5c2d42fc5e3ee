import { oidcErrors } from "./errors.ts";

/**
 * Where a sign-in may end: a program on the user's own machine (RFC 8252, section 7.3), or the hub itself. Anywhere
 * else would hand login codes to strangers.
 */
export function checkRedirectUri(text: string, hubUrl: string): string {
  if (!URL.canParse(text)) throw oidcErrors.AUTH_OIDC_REDIRECT_REFUSED();
  const url = new URL(text);
  if (url.username !== "" || url.password !== "" || url.hash !== "") throw oidcErrors.AUTH_OIDC_REDIRECT_REFUSED();
  const isLoopback = url.protocol === "http:" && loopback.has(url.hostname);
  if (!isLoopback && url.origin !== new URL(hubUrl).origin) throw oidcErrors.AUTH_OIDC_REDIRECT_REFUSED();
  return url.href;
}

const loopback = new Set(["127.0.0.1", "[::1]", "localhost"]);

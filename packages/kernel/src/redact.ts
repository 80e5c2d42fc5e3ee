/** Masks what looks like a credential in free text: our own tokens, bearer and basic credentials, private keys. */
export function redact(text: string): string {
  return patterns.reduce((masked, [pattern, replacement]) => masked.replace(pattern, replacement), text);
}

/** Paths for a structured logger (pino's syntax): members that must never be printed, at any of the usual depths. */
export const redactedPaths: readonly string[] = [
  "token",
  "secret",
  "password",
  "authorization",
  "cookie",
  "privateKey",
  "keyPem",
].flatMap((name) => [name, `*.${name}`, `*.*.${name}`, `*.headers["${name}"]`, `headers["${name}"]`]);

const patterns: readonly (readonly [RegExp, string])[] = [
  [/\bfl[a-z]_[0-9a-z]{8,}(?:_[0-9a-z]+)*/gi, "[redacted token]"],
  [/\b(bearer|basic)\s+[A-Za-z0-9._~+/=-]{6,}/gi, "$1 [redacted]"],
  [/base64url\.bearer\.authorization\.k8s\.io\.[A-Za-z0-9_-]+/g, "[redacted token]"],
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?-----END [A-Z ]*PRIVATE KEY-----/g, "[redacted key]"],
  [/\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]+/g, "[redacted token]"],
];

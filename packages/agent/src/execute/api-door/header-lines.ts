// Headers in pairs of name and value, as they are on the wire.

/** Drops the headers in which a program names itself, and those that concern one connection only. */
export function headerLines(raw: readonly string[]): string[] {
  return keep(raw, (name) => !droppedNames.has(name) && !droppedPrefixes.some((prefix) => name.startsWith(prefix)));
}

/** The answer is to be JSON that can be looked through. */
export function linesForRewriting(lines: readonly string[]): string[] {
  return [...keep(lines, (name) => name !== "accept" && name !== "accept-encoding"), "Accept", "application/json"];
}

/** They belong to a body that is written anew. */
export function dropContentLines(lines: readonly string[]): string[] {
  return keep(lines, (name) => !["content-length", "content-encoding", "etag", "trailer"].includes(name));
}

function keep(lines: readonly string[], isKept: (name: string) => boolean): string[] {
  const kept: string[] = [];
  for (let i = 0; i + 1 < lines.length; i += 2) {
    if (isKept((lines[i] ?? "").toLowerCase().trim())) kept.push(lines[i] ?? "", lines[i + 1] ?? "");
  }
  return kept;
}

const droppedNames = new Set([
  "host",
  "authorization",
  "connection",
  "keep-alive",
  "proxy-connection",
  "proxy-authorization",
  "te",
  "upgrade",
  "transfer-encoding",
  "expect",
  "user-agent",
]);
const droppedPrefixes = ["impersonate-", "impersonate_", "x-remote-", "x_remote_"];

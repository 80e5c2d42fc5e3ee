// Reads the user that a caller wants to be instead (`kubectl --as`). The lines are read once, as they came, and never
// passed on as lines. Lines that two readers could understand differently are refused rather than guessed at.
import { callerGroups, type RawHeaders } from "@fairlead/protocol";
import { proxyErrors } from "./errors.ts";
import type { Impersonation } from "./ports.ts";

/** Undefined when nothing of it is there, as with nearly every request. */
export function readImpersonation(raw: RawHeaders): Impersonation | undefined {
  let lines: [name: string, value: string][] | undefined;
  for (let index = 0; index + 1 < raw.length; index += 2) {
    const name = raw[index] as string;
    if (name.length >= prefix.length && (name.charCodeAt(0) | 32) === letterI && isOurs(name)) {
      lines ??= [];
      lines.push([name, raw[index + 1] as string]);
    }
  }
  return lines === undefined ? undefined : readLines(lines);
}

function readLines(lines: readonly (readonly [string, string])[]): Impersonation {
  let user: string | undefined;
  let uid: string | undefined;
  const groups: string[] = [];
  const extra: Record<string, string[]> = Object.create(null) as Record<string, string[]>;
  for (const [name, line] of lines) {
    const lower = name.toLowerCase();
    const value = readValue(name, line);
    if (lower === "impersonate-user") user = once(name, user, value);
    else if (lower === "impersonate-uid") uid = once(name, uid, value);
    else if (lower === "impersonate-group") groups.push(value);
    else if (lower.startsWith(extraPrefix) && lower.length > extraPrefix.length) {
      const key = decodeKey(name, lower.slice(extraPrefix.length));
      extra[key] = [...(extra[key] ?? []), value];
    } else
      throw proxyErrors.PROXY_IMPERSONATION_INVALID({
        detail: `nothing is called ${JSON.stringify(name.slice(0, 64))}`,
      });
    // Clients of Kubernetes write it like this, and proxies all small. Other spellings are only ever tried on.
    if (name !== lower && !canonical.test(name)) {
      throw proxyErrors.PROXY_IMPERSONATION_INVALID({
        detail: `the header ${JSON.stringify(name.slice(0, 64))} is oddly spelled`,
      });
    }
  }
  // No link carries more of them.
  if (groups.length > callerGroups.most || Object.keys(extra).length > 64)
    throw proxyErrors.PROXY_IMPERSONATION_INVALID({ detail: "it has too many lines" });
  if (user === undefined)
    throw proxyErrors.PROXY_IMPERSONATION_INVALID({ detail: "a group, uid or extra was given without a user" });
  return { user, groups, extra, ...(uid === undefined ? {} : { uid }) };
}

function once(name: string, before: string | undefined, value: string): string {
  if (before !== undefined)
    throw proxyErrors.PROXY_IMPERSONATION_INVALID({ detail: `the header ${name} is there twice` });
  return value;
}

/** Node hands out a character for each byte; the names are UTF-8. */
function readValue(name: string, line: string): string {
  let text: string;
  try {
    text = utf8.decode(Buffer.from(line, "latin1"));
  } catch {
    throw proxyErrors.PROXY_IMPERSONATION_INVALID({ detail: `the header ${name.slice(0, 64)} isn't UTF-8` });
  }
  if (!valuePattern.test(text) || text !== text.trim()) {
    throw proxyErrors.PROXY_IMPERSONATION_INVALID({
      detail: `the header ${name.slice(0, 64)} is empty, too long or has blanks at its ends`,
    });
  }
  return text;
}

function decodeKey(name: string, escaped: string): string {
  let key = "";
  try {
    key = decodeURIComponent(escaped);
  } catch {
    // The error is thrown below.
  }
  if (valuePattern.test(key)) return key;
  throw proxyErrors.PROXY_IMPERSONATION_INVALID({
    detail: `the header ${JSON.stringify(name.slice(0, 64))} can't be decoded`,
  });
}

/** An underscore too, which sloppy readers take for the dash: it is refused as a name that nothing has. */
function isOurs(name: string): boolean {
  const start = name.slice(0, prefix.length).toLowerCase();
  return start === prefix || start === "impersonate_";
}

const prefix = "impersonate-";
const extraPrefix = "impersonate-extra-";
const letterI = 0x69;
const canonical = /^Impersonate-(?:User|Uid|UID|Group|Extra-.+)$/;
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
// biome-ignore lint/suspicious/noControlCharactersInRegex: the control characters are what must not pass
const valuePattern = /^[^\x00-\x1f\x7f]{1,1024}$/;

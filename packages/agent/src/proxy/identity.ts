// The caller of a request, as the API server reads it. These lines are written here and nowhere else, from the field
// that the hub sent, after all that came from outside has been read: nothing can take them away or add to them.
import type { CallerIdentity } from "@fairlead/protocol";
import { proxyErrors } from "./errors.ts";

export function pushIdentityLines(lines: string[], identity: CallerIdentity): void {
  lines.push("Impersonate-User", toLine(identity.user));
  if (identity.uid !== undefined) lines.push("Impersonate-Uid", toLine(identity.uid));
  for (const group of identity.groups) lines.push("Impersonate-Group", toLine(group));
  if (identity.extra === undefined) return;
  for (const [key, values] of Object.entries(identity.extra)) {
    const name = `Impersonate-Extra-${escapeKey(key)}`;
    for (const value of values) lines.push(name, toLine(value));
  }
}

/** UTF-8 bytes, one character each, as header lines are written; the API server reads the bytes. */
function toLine(text: string): string {
  // HTTP strips blanks around a value, and the cluster would know another name than the one that was judged.
  if (/^\s|\s$/.test(text)) throw proxyErrors.PROXY_IDENTITY_INVALID();
  return ascii.test(text) ? text : Buffer.from(text, "utf8").toString("latin1");
}

/** As client-go does it, and capitals too, because the API server turns the header's name into small letters. */
function escapeKey(key: string): string {
  let escaped = "";
  for (const byte of Buffer.from(key, "utf8")) {
    const character = String.fromCharCode(byte);
    escaped += plain.test(character) ? character : `%${byte.toString(16).padStart(2, "0")}`;
  }
  return escaped;
}

const ascii = /^[\x20-\x7e]*$/;
const plain = /^[!#$&'*+\-.^_`|~0-9a-z]$/;

// A value must not choose where fixed credentials are sent. Pure.
import type { FoundPlaceholder, FoundText } from "./walk.ts";

/** True for a text that is a URL with a parameter, and with a name or password that isn't one. */
export function hasFixedCredentials({ parts }: FoundText): boolean {
  if (!parts.some((part) => typeof part !== "string")) return false;
  const text = parts.map((part) => (typeof part === "string" ? part.replaceAll(reference, "x") : parameter)).join("");
  return [...text.matchAll(userInfo)].some(([, user = ""]) => user.replaceAll(parameter, "").replace(":", "") !== "");
}

/** True for a parameter in the address of a chart or repository that has credentials of its own. */
export function isBesideCredentials(spec: unknown, { path }: FoundPlaceholder): boolean {
  const name = String(path.at(-1));
  if (!addresses.has(name)) return false;
  let holder: unknown = spec;
  for (const part of path.slice(0, -1)) holder = (holder as Readonly<Record<string | number, unknown>>)[part];
  return (holder as { readonly credentials?: unknown }).credentials !== undefined;
}

const addresses: ReadonlySet<string> = new Set(["url", "repository", "oci"]);
/** No text of a template has it. */
const parameter = "\u0000";
const reference = /\$\{[^}]*\}/g;
const userInfo = /[a-z][a-z0-9+.-]*:\/\/([^/?#@\s]*)@/gi;

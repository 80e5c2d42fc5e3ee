// References to values in the cluster, inside a text. Pure.
import { isDnsLabel } from "@fairlead/kernel";
import { secretErrors } from "./errors.ts";

export interface Reference {
  readonly kind: "secret" | "configmap";
  readonly namespace: string;
  readonly name: string;
  readonly key: string;
}

/**
 * Literal text and references in turn. Other things in `${…}` are text: shells and templates have their own. Throws
 * SECRET_REFERENCE_INVALID for what begins like a reference and isn't one: left as text it would hide a mistake.
 */
export function readReferences(text: string): readonly (string | Reference)[] {
  const parts: (string | Reference)[] = [];
  let from = 0;
  for (const match of text.matchAll(opening)) {
    const { index } = match;
    if (index < from) continue;
    const isEscaped = match[1] !== "";
    const begin = index + (match[1] ?? "").length;
    parts.push(text.slice(from, index));
    if (isEscaped) {
      parts.push(match[2] ?? "");
      from = index + match[0].length;
      continue;
    }
    const end = text.indexOf("}", begin);
    const reference = end < 0 ? undefined : parse(text.slice(begin + 2, end));
    if (reference === undefined) throw invalid(match[2] ?? "");
    parts.push(reference);
    from = end + 1;
  }
  parts.push(text.slice(from));
  return parts.filter((part) => part !== "");
}

export function nameReference({ kind, namespace, name, key }: Reference): string {
  return `\${${kind}:${namespace}/${name}/${key}}`;
}

function parse(text: string): Reference | undefined {
  const match = /^(secret|configmap):([^/]+)\/([^/]+)\/([^/]+)$/.exec(text);
  if (match === null) return undefined;
  const [, kind, namespace = "", name = "", key = ""] = match;
  if (!isDnsLabel(namespace) || !objectName.test(name) || name.length > 253) return undefined;
  // "." and ".." are no keys, and no path leads out of the object by them either.
  if (!dataKey.test(key) || key.length > 253 || key === "." || key === "..") return undefined;
  return { kind: kind === "secret" ? "secret" : "configmap", namespace, name, key };
}

/** Names only the beginning: the rest may be a secret that somebody mistook for a reference. */
function invalid(begin: string): Error {
  return secretErrors.SECRET_REFERENCE_INVALID({ begin });
}

const opening = /(\$?)(\$\{(?:secret|configmap):)/g;
const objectName = /^[a-z0-9](?:[-a-z0-9.]*[a-z0-9])?$/;
const dataKey = /^[-._a-zA-Z0-9]+$/;

// The Secrets that a text, or the texts in a JSON value, refer to. Pure.
import { readReferences } from "./references.ts";

/** `NAMESPACE/NAME`, each once. References that can't be read are told when they are resolved. */
export function namedSecrets(value: unknown): readonly string[] {
  return [...new Set(listNames(value))];
}

function listNames(value: unknown): readonly string[] {
  if (typeof value === "string") return namesIn(value);
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(listNames);
}

function namesIn(text: string): readonly string[] {
  try {
    return readReferences(text).flatMap((part) =>
      typeof part === "object" && part.kind === "secret" ? [`${part.namespace}/${part.name}`] : [],
    );
  } catch {
    return [];
  }
}

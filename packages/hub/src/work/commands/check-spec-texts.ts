// What no agent could carry out is refused before it is kept, signed and sent. Pure.
import { parseAllDocuments } from "yaml";
import { commandErrors } from "./errors.ts";

/** For what commands are made of later. Throws COMMAND_SPEC_UNUSABLE. */
export function requireUsableTexts(spec: unknown, place = "spec"): void {
  requireUsableJson(JSON.stringify(spec), place);
}

/** The same for a spec that is JSON already. */
export function requireUsableJson(spec: string, place = "spec"): void {
  const fault = findSpecFault(spec, place);
  if (fault !== undefined) throw commandErrors.COMMAND_SPEC_UNUSABLE({ fault });
}

/** Returns what is wrong with a text of a spec, given as JSON. */
export function findSpecFault(spec: string, place = "spec"): string | undefined {
  // Most specs have neither, and reading them once more would cost every one of them.
  if (!spec.includes("\\u0000") && !mayHaveAliases(spec)) return undefined;
  let unread = maxRead;
  return findFault(JSON.parse(spec), place);

  function findFault(value: unknown, path: string): string | undefined {
    if (typeof value === "string") return faultOf(value, path);
    if (typeof value !== "object" || value === null) return undefined;
    for (const [key, each] of Object.entries(value)) {
      const fault = key.includes("\0") ? `a name in ${path} has a NUL character` : findFault(each, `${path}.${key}`);
      if (fault !== undefined) return fault;
    }
    return undefined;
  }

  function faultOf(text: string, path: string): string | undefined {
    if (text.includes("\0")) return `${path} has a NUL character`;
    if (!mayHaveAliases(text)) return undefined;
    // People write texts with aliases by hand.
    if (text.length > maxTextWithAliases)
      return `${path} uses YAML aliases in more than ${maxTextWithAliases} characters`;
    if (countAliases(text) <= harmlessAliases) return undefined;
    // Reading them holds everybody up, by their length and by the number of aliases.
    unread -= text.length;
    if (unread < 0)
      return `texts up to ${path} have more than ${maxRead} characters and ${harmlessAliases} YAML aliases each`;
    return multipliesByAliases(text) ? `aliases in ${path} repeat too much` : undefined;
  }
}

/** Agents find out about every other fault of a text, and say where. */
function multipliesByAliases(text: string): boolean {
  try {
    for (const document of parseAllDocuments(text, { logLevel: "silent", prettyErrors: false })) {
      if (document.errors.length === 0) document.toJS({ maxAliasCount: maxAliases });
    }
    return false;
  } catch (thrown) {
    return thrown instanceof ReferenceError && thrown.message.includes("Excessive alias count");
  }
}

function mayHaveAliases(text: string): boolean {
  return anchor.test(text) && alias.test(text);
}

function countAliases(text: string): number {
  return text.match(new RegExp(alias, "g"))?.length ?? 0;
}

/** Also after an escaped line break, for texts within JSON. */
const anchor = /(?:^|[\s[{,]|\\[nrt])&[\w-]/;
const alias = /(?:^|[\s[{,]|\\[nrt])\*[\w-]/;
const maxTextWithAliases = 64 * 1024;
const maxAliases = 1_000;
/** However they are nested, they unfold into some 250 at most. */
const harmlessAliases = 15;
/** For all texts of a spec. */
const maxRead = 16 * 1024;

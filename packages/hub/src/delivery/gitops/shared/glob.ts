// Argo CD's globs: `*` and `?`, sets as in `[a-c]`, alternatives as in `{a,b}`. A `*` also stands for slashes. They become
// regular expressions that take a bounded time, whatever somebody writes into a project. Pure.
import { readPattern } from "@fairlead/kernel/pattern";

export type Glob = (text: string) => boolean;

/** Undefined: it can't be read. Then it neither allows anything nor may be passed over where it forbids. */
export function readGlob(source: string): Glob | undefined {
  if (source === "*") return () => true;
  if (!special.test(source)) return (text) => text === source;
  const expression = toExpression(source);
  return expression === undefined ? undefined : readExpression(`^${expression}$`);
}

/** A regular expression, as it stands between slashes in Argo CD's lists. Undefined: it can't be read. */
export function readExpression(source: string): Glob | undefined {
  try {
    const pattern = readPattern(source, { mostLength: 200 });
    return (text) => pattern.matches(text);
  } catch {
    return undefined;
  }
}

function toExpression(source: string): string | undefined {
  const tokens = source.match(token) ?? [];
  if (tokens.join("") !== source) return undefined;
  let depth = 0;
  const parts = tokens.map((found) => {
    if (found.startsWith("*")) return ".*";
    if (found === "?") return ".";
    if (found.startsWith("[")) return toSet(found.slice(1, -1));
    if (found === "{") {
      depth += 1;
      return "(?:";
    }
    if (found === "}") {
      depth -= 1;
      return ")";
    }
    if (found === "," && depth > 0) return "|";
    return toLiteral(found.startsWith("\\") ? found.slice(1) : found);
  });
  return parts.join("");
}

function toSet(source: string): string {
  const isNot = source.startsWith("!");
  const members = (isNot ? source.slice(1) : source).replaceAll(/[\\^[]/g, "\\$&");
  return `[${isNot ? "^" : ""}${members}]`;
}

function toLiteral(character: string): string {
  return character.replace(/[\\^$.|+()[\]{}*?]/, "\\$&");
}

const special = /[*?[\]{}\\]/;
const token = /\\.|\[!?[^\]]+\]|\*+|[^\\[\]]/gs;

// Where values go in the texts of a template's spec: `${param:NAME}`. Pure.
import { listReferences } from "./references.ts";

export interface Placeholder {
  readonly name: string;
  /** Written `${param:NAME:text}`: a number or a flag becomes text. */
  readonly isText: boolean;
}

export interface ReadText {
  /** Literal text and placeholders in turn. */
  readonly parts: readonly (string | Placeholder)[];
  /** Says what makes it invalid. */
  readonly problem?: string | undefined;
}

/** `$${param:` is the text `${param:`. */
export function readPlaceholders(text: string): ReadText {
  const parts: (string | Placeholder)[] = [];
  let from = 0;
  for (const { index, 0: begin, 1: dollar } of text.matchAll(opening)) {
    if (index < from) continue;
    if (dollar !== "") {
      addText(parts, text.slice(from, index) + begin.slice(1));
      from = index + begin.length;
      continue;
    }
    const end = text.indexOf("}", index);
    const match = end < 0 ? null : content.exec(text.slice(index + begin.length, end));
    if (!match?.[1]) return { parts: [], problem: "has a ${param: that isn't closed or names no parameter" };
    addText(parts, text.slice(from, index));
    parts.push({ name: match[1], isText: match[2] !== undefined });
    from = end + 1;
  }
  addText(parts, text.slice(from));
  return { parts, ...(isInReference(parts) ? { problem: "has a parameter within a reference" } : {}) };
}

/** Joins neighbouring texts, so that a reference across their border is seen. */
function addText(parts: (string | Placeholder)[], text: string): void {
  const last = parts.at(-1);
  if (typeof last === "string") parts[parts.length - 1] = last + text;
  else if (text !== "") parts.push(text);
}

/** A value must not choose which Secret is meant. */
function isInReference(parts: readonly (string | Placeholder)[]): boolean {
  return parts.some((part, index) => {
    if (typeof part !== "string" || index === parts.length - 1) return false;
    return listReferences(part).some(({ at, isEscaped }) => !isEscaped && !part.includes("}", at));
  });
}

const opening = /(\$?)\$\{param:/g;
const content = /^([A-Za-z][A-Za-z0-9_-]{0,62})(:text)?$/;

import { type Placeholder, type ReadText, readPlaceholders } from "./placeholders.ts";

type Path = readonly (string | number)[];

export interface FoundText extends ReadText {
  readonly path: Path;
}

export interface FoundPlaceholder extends Placeholder {
  readonly path: Path;
  /** Nothing stands beside it: the value goes there as it is. */
  readonly isWhole: boolean;
}

/** Texts with placeholders, and names of members that have some, which is always a problem. */
export function* findTexts(value: unknown, path: Path = []): Generator<FoundText> {
  if (typeof value === "string") {
    if (value.includes("${param:")) yield { path, ...readPlaceholders(value) };
    return;
  }
  if (typeof value !== "object" || value === null) return;
  for (const [name, member] of Object.entries(value)) {
    const inner = [...path, Array.isArray(value) ? Number(name) : name];
    if (name.includes("${param:")) yield { path: inner, parts: [], problem: "can't be a name: it has a parameter" };
    yield* findTexts(member, inner);
  }
}

export function placeholdersOf({ path, parts }: FoundText): readonly FoundPlaceholder[] {
  return parts.flatMap((part) =>
    typeof part === "string" ? [] : [{ ...part, path, isWhole: parts.length === 1 && !part.isText }],
  );
}

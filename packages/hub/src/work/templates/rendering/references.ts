// References to Secrets, ConfigMaps and earlier steps, as agents read them in texts of a spec. Pure.

/** The beginning of the first one, also of one that is escaped; undefined: there is none. */
export function findReference(text: string): string | undefined {
  return listReferences(text)[0]?.begin;
}

export interface FoundReference {
  readonly at: number;
  readonly begin: string;
  readonly isEscaped: boolean;
}

export function listReferences(text: string): readonly FoundReference[] {
  return [...text.matchAll(opening)].map(({ index, 0: begin, 1: dollar }) => ({
    at: index,
    begin,
    isEscaped: dollar !== "",
  }));
}

const opening = /(\$?)\$\{(?:secret:|configmap:|steps\.)/g;

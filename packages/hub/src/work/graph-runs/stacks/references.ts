// References from one resource's spec to what another one gives out: `${resources.NAME.outputs.KEY}`. Pure.
export interface OutputReference {
  readonly name: string;
  readonly key: string;
  /** Where in the declaration it stands. */
  readonly place: string;
}

export interface ReferenceReader {
  /** Gives the text that replaces a reference. */
  readonly replace: (reference: OutputReference) => string;
  /** Throws. */
  readonly onInvalid: (place: string) => never;
  readonly onTooDeep: (place: string) => never;
}

/**
 * The value with all references in its texts replaced. `$${resources.` is text that begins with `${resources.`. Other things in
 * `${…}` are left as they are: the agent, shells and templates have their own.
 */
export function replaceReferences(value: unknown, place: string, reader: ReferenceReader): unknown {
  return replaceIn(value, place, reader, 0);
}

function replaceIn(value: unknown, place: string, reader: ReferenceReader, depth: number): unknown {
  if (typeof value === "string") return replaceInText(value, place, reader);
  if (typeof value !== "object" || value === null) return value;
  if (depth === deepest) return reader.onTooDeep(place);
  if (Array.isArray(value))
    return value.map((item: unknown, index) => replaceIn(item, `${place}[${index}]`, reader, depth + 1));
  const members = Object.entries(value);
  return Object.fromEntries(
    members.map(([name, member]) => [name, replaceIn(member, `${place}.${name}`, reader, depth + 1)]),
  );
}

function replaceInText(text: string, place: string, { replace, onInvalid }: ReferenceReader): string {
  return text.replaceAll(opening, (found: string, isEscaped: string, rest: string | undefined) => {
    if (isEscaped !== "") return found.slice(1);
    const [, name, key] = /^([a-z0-9-]+)\.outputs\.([-._a-zA-Z0-9]+)\}$/.exec(rest ?? "") ?? [];
    if (name === undefined || key === undefined) return onInvalid(place);
    return replace({ name, key, place });
  });
}

/** A reference is a line's and short: what has no end nearby is none. */
const opening = /(\$?)\$\{resources\.([^\n}]{0,512}\})?/g;
const deepest = 64;

// A declared binding is known by its name in the files, and so by the same id after each start.
export function toBindingId(name: string): string {
  return `${idPrefix}${name}`;
}

/** The name that it is declared by, or the id of one that wasn't. */
export function toBindingName(id: string): string {
  return id.startsWith(idPrefix) ? id.slice(idPrefix.length) : id;
}

const idPrefix = "declared-";

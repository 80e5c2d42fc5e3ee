export type Fields = Readonly<Record<string, unknown>>;

/** A value from a peer may have any shape. A value that is no object has no fields. */
export function asFields(value: unknown): Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

export type Fields = Readonly<Record<string, unknown>>;

/** What a peer says may have any shape: what is no object has no fields. */
export function asFields(value: unknown): Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

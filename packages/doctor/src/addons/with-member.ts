/** A copy of a tree in which one member differs; `undefined` takes it away. */
export function withMember(tree: unknown, [name, ...rest]: readonly string[], value: unknown): unknown {
  if (name === undefined) return value;
  const members = typeof tree === "object" && tree !== null && !Array.isArray(tree) ? tree : {};
  const before = (members as Readonly<Record<string, unknown>>)[name];
  const kept = Object.fromEntries(Object.entries(members).filter(([key]) => key !== name));
  const after = withMember(before, rest, value);
  return after === undefined ? kept : { ...kept, [name]: after };
}

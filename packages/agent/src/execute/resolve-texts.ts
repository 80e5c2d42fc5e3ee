/** Keys aren't looked at. A value without references stays the same value. */
export async function resolveTexts(value: unknown, resolve: (text: string) => Promise<string>): Promise<unknown> {
  const texts = new Set<string>();
  gatherTexts(value, texts);
  if (texts.size === 0) return value;
  const pairs = [...texts].map(async (text) => [text, await resolve(text)] as const);
  return replaceTexts(value, new Map(await Promise.all(pairs)));
}

/** Those that may hold a reference. */
function gatherTexts(value: unknown, texts: Set<string>): void {
  if (typeof value === "string" && value.includes("${")) texts.add(value);
  if (typeof value === "object" && value !== null) for (const one of Object.values(value)) gatherTexts(one, texts);
}

function replaceTexts(value: unknown, resolved: ReadonlyMap<string, string>): unknown {
  if (typeof value === "string") return resolved.get(value) ?? value;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => replaceTexts(item, resolved));
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, replaceTexts(member, resolved)]));
}

const most = 10;

/** Names for a message, each once: however many there are, it stays a sentence. */
export function listNames(names: readonly string[]): string {
  const distinct = [...new Set(names)];
  const rest = distinct.length - most;
  return `${distinct.slice(0, most).join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`;
}

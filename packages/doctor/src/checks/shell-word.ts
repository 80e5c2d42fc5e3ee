/** A text as one word of a shell command: what clusters name must not become commands when people paste a fix. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

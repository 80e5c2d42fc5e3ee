/** Others' words, short enough to keep and without NUL, which PostgreSQL doesn't take. */
export function toStorableText(text: string, maxLength: number): string {
  return text.slice(0, maxLength).replaceAll("\0", "");
}

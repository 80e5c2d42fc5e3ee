/** Others' words, short enough to keep and without NUL, which PostgreSQL doesn't take. */
export function toStorableText(text: string, maxLength: number): string {
  // The cut may halve a character, and no `jsonb` takes the half: in UTF-8 it becomes U+FFFD.
  return Buffer.from(text.slice(0, maxLength)).toString().replaceAll("\0", "");
}

/** Cut, which its last character says, to what takes so many bytes as JSON. */
export function cutText(text: string, maxBytes: number): string {
  if (text.length * mostBytes <= maxBytes) return text;
  let sizeBytes = 0;
  let end = 0;
  let fittingEnd = 0;
  for (const char of text) {
    sizeBytes += jsonBytesOf(char);
    if (sizeBytes > maxBytes) return `${text.slice(0, fittingEnd)}${ellipsis}`;
    end += char.length;
    if (sizeBytes <= maxBytes - ellipsisBytes) fittingEnd = end;
  }
  return text;
}

function jsonBytesOf(char: string): number {
  const code = char.codePointAt(0) ?? 0;
  // Control characters and halves of pairs are written as escapes.
  if (code < 0x20 || (code >= 0xd800 && code <= 0xdfff)) return mostBytes;
  if (code < 0x80) return char === '"' || char === "\\" ? 2 : 1;
  if (code < 0x800) return 2;
  return code < 0x10000 ? 3 : 4;
}

export const ellipsis = "…";
const ellipsisBytes = 3;
const mostBytes = 6;

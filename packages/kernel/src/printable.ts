/**
 * Text from elsewhere (names, labels, messages) as a terminal may show it: control characters, line separators and marks
 * that change the direction of writing are replaced, one for one.
 */
export function printable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this removes
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g, "�");
}

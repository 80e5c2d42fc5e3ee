import { printable } from "@fairlead/kernel";

/** The most characters that a terminal of usual width shows without breaking lines. */
const lineWidth = 80;

/** Text from elsewhere as lines of at most `lineWidth`, indented from the second one on as `indent` says; safe for a terminal. */
export function wrap(text: string, { first = "", indent = first }: { first?: string; indent?: string } = {}): string {
  const lines: string[] = [];
  let line = first;
  let isEmpty = true;
  for (const word of printable(text.replaceAll(/\s+/g, " ").trim()).split(" ")) {
    if (!isEmpty && widthOf(line) + 1 + widthOf(word) > lineWidth) {
      lines.push(line);
      line = indent;
      isEmpty = true;
    }
    line += isEmpty ? word : ` ${word}`;
    isEmpty = false;
  }
  return `${[...lines, line].map((each) => each.trimEnd()).join("\n")}\n`;
}

/** In one line, cut where it would be longer. */
export function cut(text: string, width: number): string {
  const characters = [...printable(text.replaceAll(/\s+/g, " ").trim())];
  return characters.length <= width ? characters.join("") : `${characters.slice(0, width - 1).join("")}…`;
}

function widthOf(text: string): number {
  return [...text].length;
}

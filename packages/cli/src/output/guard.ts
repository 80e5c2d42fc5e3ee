import { printable } from "@fairlead/kernel";

/** A text as it leaves for a terminal: line breaks, tabs and the colours of this program stay, all other control goes. */
export function guardText(text: string): string {
  return guard(text, /[^\n\t]+/g);
}

/** The same for what must stay within its line. */
export function guardLine(text: string): string {
  return guard(text, /[\s\S]+/g);
}

/** The same for JSON, which means the same afterwards. */
export function guardJson(json: string): string {
  return json.replace(/[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g, (control) => {
    return `\\u${control.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}

function guard(text: string, checked: RegExp): string {
  // Every second part is a colour.
  return text
    .split(colour)
    .map((part, index) => (index % 2 === 1 ? part : part.replace(checked, printable)))
    .join("");
}

/** Without those that hide a text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: colours begin with it
const colour = /(\u001b\[(?:0|1|2|22|3[0-79]|9[0-7])m)/;

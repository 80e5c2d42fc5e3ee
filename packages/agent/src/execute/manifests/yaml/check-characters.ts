import { YamlProblem } from "./yaml-problem.ts";

/** Refuses what no YAML text may hold, and what stands where bytes were no UTF-8. */
export function checkCharacters(text: string): void {
  const found = unwelcome.exec(text);
  if (!found) return;
  const line = text.slice(0, found.index).split("\n").length;
  throw new YamlProblem({ line, what: whatIs(found[0]) });
}

function whatIs(character: string): string {
  if (character === "\0") return "there is a NUL byte; remove it";
  if (character === "\uFFFD" || /\p{Surrogate}/u.test(character))
    return "bytes there aren't UTF-8; save the file as UTF-8";
  const code = character.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0");
  return `there is the control character U+${code}; remove it, or write it as an escape in double quotes`;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const unwelcome = /[\0-\x08\x0B\x0C\x0E-\x1F\x7F-\x84\x86-\x9F\uFFFD-\uFFFF]|\p{Surrogate}/u;

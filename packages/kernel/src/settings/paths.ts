// The kinds of settings that name files and folders. Paths are absolute from the start: programs run in other folders, and
// whoever gets a path needn't know from where it counts.
import { resolve } from "node:path";
import { type Kind, kindOf, list } from "./kinds.ts";

/** `words` stand for something that isn't a file. */
export function file({ words = [] }: { readonly words?: readonly string[] } = {}): Kind<string> {
  return path({ placeholder: "FILE", expected: "the path of a file", words });
}

export function folder(): Kind<string> {
  return path({ placeholder: "FOLDER", expected: "the path of a folder", words: [] });
}

/** One or more. */
export function folders(): Kind<readonly string[]> {
  const kind = list({ expected: "a list of folders" });
  return {
    ...kind,
    read(given) {
      const reading = kind.read(given);
      return "value" in reading ? { value: reading.value.map((each) => resolve(each)) } : reading;
    },
  };
}

function path({
  words,
  ...described
}: {
  readonly placeholder: string;
  readonly expected: string;
  readonly words: readonly string[];
}): Kind<string> {
  return kindOf({
    ...described,
    read(given) {
      if (typeof given !== "string" || given === "") return undefined;
      return words.includes(given) ? given : resolve(given);
    },
  });
}

import { parse } from "yaml";

/** Throws without the lines around the fault, and prints no warning about them: they may hold credentials. */
export function parseYaml(text: string): unknown {
  return parse(text, { logLevel: "error", prettyErrors: false });
}

/** Undefined for what isn't YAML. */
export function tryParseYaml(text: string): unknown {
  try {
    return parseYaml(text);
  } catch {
    return undefined;
  }
}

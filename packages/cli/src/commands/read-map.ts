import { parseDocument } from "yaml";
import { usage } from "../errors.ts";
import { readText } from "../files/index.ts";
import { readAll, type Terminal } from "../terminal.ts";

/** Reads a map in YAML or JSON, from a file or standard input. */
export async function readMap(
  terminal: Pick<Terminal, "stdin">,
  file: string,
  told: { readonly what: string; readonly example: string },
): Promise<Record<string, unknown>> {
  const text = file === "-" ? await readAll(terminal.stdin) : await readText(file);
  const document = parseDocument(text);
  const [problem] = document.errors;
  if (problem) throw usage(`${file} isn't valid YAML: ${problem.message.split("\n")[0]}`);
  const value: unknown = document.toJS();
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw usage(`${file} doesn't describe ${told.what}.`, told.example);
  return value as Record<string, unknown>;
}

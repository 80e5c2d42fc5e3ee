import type { TofuSpec } from "@fairlead/contract";
import { parseDocument } from "yaml";
import { usage } from "../../errors.ts";
import { readText } from "../../files/index.ts";
import { readAll, type Terminal } from "../../terminal.ts";

/** The hub checks it. */
export async function readTofuSpec(terminal: Pick<Terminal, "stdin">, file: string): Promise<TofuSpec> {
  const document = parseDocument(file === "-" ? await readAll(terminal.stdin) : await readText(file));
  const [problem] = document.errors;
  if (problem) throw usage(`${file} isn't valid YAML: ${problem.message.split("\n")[0]}`);
  const value: unknown = document.toJS();
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw usage(`${file} isn't a spec.`, "Write it like: {name: web, source: {files: {main.tf: …}}}");
  return value as TofuSpec;
}

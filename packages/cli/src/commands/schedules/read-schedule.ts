import type { PutScheduleRequest } from "@fairlead/contract";
import { parseDocument } from "yaml";
import { usage } from "../../errors.ts";
import { readText } from "../../files/index.ts";
import { readAll, type Terminal } from "../../terminal.ts";

/** The hub checks all but its name. */
export async function readSchedule(
  terminal: Pick<Terminal, "stdin">,
  file: string,
): Promise<{ readonly name: string; readonly request: PutScheduleRequest }> {
  const document = parseDocument(file === "-" ? await readAll(terminal.stdin) : await readText(file));
  const [problem] = document.errors;
  if (problem) throw usage(`${file} isn't valid YAML: ${problem.message.split("\n")[0]}`);
  const value = document.toJS() as { readonly name?: unknown } | null;
  if (typeof value !== "object" || typeof value?.name !== "string")
    throw usage(`${file} isn't a schedule with a name.`, example);
  const { name, ...request } = value;
  return { name: value.name, request: request as unknown as PutScheduleRequest };
}

const example =
  "It is written like: {name: nightly, cron: '30 2 * * *', timeZone: Europe/Berlin, request: {kind: …, spec: …, selector: env=prod}}";

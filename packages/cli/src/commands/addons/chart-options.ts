// Options for charts and values, for all commands that plan with them.
import type { Mirrors } from "@fairlead/doctor";
import type { Command } from "../../command.ts";
import type { CommandContext } from "../../context.ts";
import { usage } from "../../errors.ts";
import { collectText } from "../collect.ts";
import { readMap } from "../read-map.ts";
import { addExamineOptions, type ExamineOptions } from "./examine-through-hub.ts";

export interface ChartOptions extends ExamineOptions {
  readonly values?: readonly string[];
  readonly mirror?: readonly string[];
  readonly imageMirror?: string;
  readonly to?: readonly string[];
}

export function addChartOptions(command: Command): Command {
  return addExamineOptions(command)
    .option(
      "--values <addon=file>",
      "File with Helm values that override the catalogue's; can be repeated",
      collectText,
    )
    .option(
      "--mirror <from=to>",
      "Mirror for charts: addresses that begin with FROM begin with TO instead; can be repeated",
      collectText,
    );
}

export function addImageOption(command: Command): Command {
  return command.option(
    "--image-mirror <registry>",
    "Registry to take images from, set by values of the charts; its path replaces the host of the images",
  );
}

export async function readValues(
  { terminal }: CommandContext,
  given: readonly string[] = [],
): Promise<ReadonlyMap<string, unknown>> {
  const values = new Map<string, unknown>();
  for (const [addon, file] of readPairs(given, "--values ADDON=FILE")) {
    const told = { what: "Helm values", example: "They are written like: {grafana: {enabled: false}}" };
    values.set(addon, await readMap(terminal, file, told));
  }
  return values;
}

export function readMirrors(given: readonly string[] = []): Mirrors {
  return [...given].map((each) => {
    const [from, to] = splitPair(each, "--mirror FROM=TO");
    return { from, to };
  });
}

export function readPairs(given: readonly string[] = [], shape: string): ReadonlyMap<string, string> {
  return new Map(given.map((each) => splitPair(each, shape)));
}

function splitPair(text: string, shape: string): [string, string] {
  const at = text.indexOf("=");
  if (at <= 0 || at === text.length - 1) throw usage(`'${text}' doesn't have the expected format.`, `Write ${shape}.`);
  return [text.slice(0, at), text.slice(at + 1)];
}

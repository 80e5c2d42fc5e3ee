// Values for the parameters of a template, from a file and from words.

import { parse } from "yaml";
import type { Command } from "../../command.ts";
import type { CommandContext } from "../../context.ts";
import { usage } from "../../errors.ts";
import { collectText } from "../collect.ts";
import { readMap } from "../read-map.ts";

export interface ParameterOptions {
  readonly set?: readonly string[];
  readonly file?: string;
}

export function addParameterOptions(command: Command): Command {
  return command
    .option("--set <name=value>", "Parameter of the template, overriding the file; can be repeated", collectText)
    .option("-f, --file <file>", "File with parameters by name in YAML or JSON; - for standard input");
}

/** Words get the types that the template gives them. The hub checks the values. */
export async function readParameters(
  context: Pick<CommandContext, "terminal" | "signal" | "hub">,
  { name, options }: { readonly name: string; readonly options: ParameterOptions },
): Promise<Readonly<Record<string, unknown>>> {
  const { terminal, signal } = context;
  const { set = [], file } = options;
  const words = set.map(splitWord);
  const values = file === undefined ? {} : await readMap(terminal, file, { what: "parameters", example });
  if (words.length === 0) return values;
  const { parameters } = await (await context.hub()).getTemplate(name, { signal });
  const typed = words.map(([parameter, word]) => [parameter, toValue(word, typeOf(parameters, parameter))] as const);
  return { ...values, ...Object.fromEntries(typed) };
}

function splitWord(text: string): readonly [string, string] {
  const at = text.indexOf("=");
  if (at < 1) throw usage(`'${text}' isn't a parameter and its value.`, "Write --set NAME=VALUE.");
  return [text.slice(0, at), text.slice(at + 1)];
}

function typeOf(schema: Readonly<Record<string, unknown>>, name: string): unknown {
  const { properties } = schema as { readonly properties?: Readonly<Record<string, { readonly type?: unknown }>> };
  return properties && Object.hasOwn(properties, name) ? properties[name]?.type : undefined;
}

/** A word that isn't of its type stays text: the hub says what it should be. */
function toValue(word: string, type: unknown): unknown {
  switch (type) {
    case "integer":
    case "number":
      return word.trim() === "" || Number.isNaN(Number(word)) ? word : Number(word);
    case "boolean":
      return word === "true" ? true : word === "false" ? false : word;
    case "array":
    case "object":
      return parseOrText(word);
    default:
      return word;
  }
}

function parseOrText(word: string): unknown {
  try {
    return parse(word) as unknown;
  } catch {
    return word;
  }
}

const example = "They are written like: {app: shop, replicas: 3}";

// Mistyped names: the hub says that there is no such thing, and this which one was likely meant.
import { findNearest } from "@fairlead/kernel";
import type { Command } from "../command.ts";
import { type CompletedName, nameIn, operandOf } from "../completion/index.ts";
import type { CommandContext } from "../context.ts";
import { readNames } from "./read-names.ts";

/** `eest: did you mean east?` Undefined when all names are there, none is near, or the hub doesn't say in time. */
export async function suggestNames(
  command: Command,
  { hub: connect, signal }: Pick<CommandContext, "hub" | "signal">,
): Promise<string | undefined> {
  try {
    const soon = AbortSignal.any([signal, AbortSignal.timeout(patienceMs)]);
    const hub = await connect();
    const nothing = { kind: undefined, cluster: undefined, namespace: undefined };
    const near = await Promise.all(
      typedNames(command).map(async ({ what, typed }) => {
        const names = await readNames(hub, { what, typed: nothing, signal: soon });
        const meant = names.includes(typed) ? undefined : findNearest(typed, names);
        return meant === undefined ? [] : [`${typed}: did you mean ${meant}?`];
      }),
    );
    return near.flat().join(" ") || undefined;
  } catch {
    // Whether there is a suggestion must not decide what the command says.
    return undefined;
  }
}

interface TypedName {
  readonly what: CompletedName;
  readonly typed: string;
}

/** The names of things on the hub among operands and options. Kinds and objects have suggestions of their own. */
function typedNames(command: Command): TypedName[] {
  const [, ...words] = command.path.slice(rootOf(command).name().length).split(" ");
  const operand = operandOf(words.join(" "), command);
  const isList = command.registeredArguments[0]?.variadic === true;
  const operands = operand === undefined ? [] : command.args.slice(0, isList ? mostLookedAt : 1);
  const named = [
    ...operands.map((typed) => ({ what: operand, typed })),
    ...command.options.flatMap((option) =>
      textsOf(command.getOptionValue(option.attributeName())).map((typed) => ({ what: nameIn(option), typed })),
    ),
  ];
  return (
    named
      .filter((one): one is TypedName => one.what !== undefined && !elsewhere.has(one.what))
      // The beginning of an ID is near none of them.
      .filter(({ what, typed }) => (what !== "run" && what !== "rollout") || typed.length >= idLength)
      .slice(0, mostLookedAt)
  );
}

function rootOf(command: Command): Command {
  return command.parent ? rootOf(command.parent as Command) : command;
}

function textsOf(value: unknown): string[] {
  return [value].flat().filter((one) => typeof one === "string");
}

const elsewhere: ReadonlySet<CompletedName> = new Set(["kind", "object", "namespace"]);
const idLength = 26;
const mostLookedAt = 5;
const patienceMs = 3_000;

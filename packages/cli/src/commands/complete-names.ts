import type { HubClient } from "@fairlead/contract";
import { Argument } from "commander";
import type { Command } from "../command.ts";
import { type CompletedName, completedNames, namesCommandName } from "../completion/index.ts";
import type { CommandContext, OpenContext } from "../context.ts";

/** Hidden: shells call it at each completion of a name, with the words typed so far. */
export function addCompleteNames(program: Command, open: OpenContext): void {
  program
    .command(namesCommandName, { hidden: true })
    .addArgument(new Argument("<what>").choices([...completedNames]))
    .argument("[words...]")
    .action((what: CompletedName, words: string[], _options: object, command: Command) =>
      printNames(open(command), what, readTyped(words)),
    );
  // Scripts that shells have loaded from before.
  program
    .command("__clusters", { hidden: true })
    .action((_options: object, command: Command) => printNames(open(command), "cluster", readTyped([])));
}

interface Typed {
  readonly kind: string | undefined;
  readonly cluster: string | undefined;
  readonly namespace: string | undefined;
}

/** The options among the typed words that choose objects. */
function readTyped(words: readonly string[]): Typed {
  const valueAfter = (...flags: string[]): string | undefined => {
    const at = words.findLastIndex((word) => flags.includes(word.split("=", 1)[0] ?? ""));
    const word = words[at];
    if (word === undefined) return undefined;
    return word.includes("=") ? word.slice(word.indexOf("=") + 1) : words[at + 1];
  };
  const operands = words.filter((word, index) => !word.startsWith("-") && !takeValue.test(words[index - 1] ?? ""));
  return { kind: operands[1], cluster: valueAfter("--cluster"), namespace: valueAfter("-n", "--namespace") };
}

/** Flags before `get`'s and `describe`'s operands whose value is the next word. */
const takeValue =
  /^(-n|-l|-o|--(cluster|cluster-selector|namespace|selector|field-selector|search|health|sort-by|limit|output|config|context))$/;

async function printNames({ hub: connect, output, signal }: CommandContext, what: CompletedName, typed: Typed) {
  // Half a second is what a person waits for a completion.
  const soon = AbortSignal.any([signal, AbortSignal.timeout(500)]);
  const names = await readNames(await connect(), { what, typed, signal: soon });
  // Shells expand the words that they complete with: a hub's answer must not hold commands.
  output.print([...new Set(names)].map((name) => (harmless.test(name) ? `${name}\n` : "")).join(""));
}

const harmless = /^[A-Za-z0-9][A-Za-z0-9._/:@-]{0,252}$/;

async function readNames(
  hub: HubClient,
  { what, typed, signal }: { readonly what: CompletedName; readonly typed: Typed; readonly signal: AbortSignal },
): Promise<readonly string[]> {
  const { kind, cluster, namespace } = typed;
  const nameOf = ({ name }: { readonly name: string }): string => name;
  switch (what) {
    case "cluster":
      return (await hub.listClusters({ signal })).items.map(nameOf);
    case "kind":
      return (await hub.listKinds({ signal })).items.map((item) => item.kind);
    case "object":
      if (kind === undefined) return readNames(hub, { what: "kind", typed, signal });
      return (await hub.listObjects({ kind, cluster, namespace, limit: most }, { signal })).items.map(nameOf);
    case "namespace":
      return (await hub.listObjects({ kind: "namespaces", cluster, limit: most }, { signal })).items.map(nameOf);
    case "run":
      return (await hub.listCommands({ limit: fewNewest }, { signal })).items.map(({ id }) => id);
    case "rollout":
      return (await hub.listRollouts({ limit: fewNewest }, { signal })).items.map(({ id }) => id);
    case "stack":
      return (await hub.listStacks({ limit: most }, { signal })).items.map(nameOf);
    case "schedule":
      return (await hub.listSchedules({ signal })).items.map(nameOf);
    case "template":
      return (await hub.listTemplates({ signal })).items.map(nameOf);
    case "profile":
      return (await hub.listProfiles({ signal })).items.map(nameOf);
    case "robot":
      return (await hub.listRobots({ signal })).items.map(nameOf);
    case "role":
      return (await hub.listRoles({ signal })).items.map(nameOf);
    case "application":
      return (await hub.listApplications({ cluster, limit: most }, { signal })).items.map((item) =>
        item.namespace === item.cluster
          ? `${item.cluster}/${item.name}`
          : `${item.cluster}/${item.namespace}/${item.name}`,
      );
    default:
      return what satisfies never;
  }
}

const most = 500;
const fewNewest = 50;

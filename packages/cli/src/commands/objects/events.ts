import type { HubClient, KindInfo } from "@fairlead/contract";
import type { Command } from "../../command.ts";
import type { CommandContext, OpenContext } from "../../context.ts";
import { usage } from "../../errors.ts";
import { limitOf } from "../limit.ts";
import { addChoiceOptions, type ChoiceOptions, readTarget, toChoice } from "./choice.ts";
import { objectsErrors } from "./errors.ts";
import { addObjectFormat, type FormatOptions, needsObject, readObjectFormat } from "./format-option.ts";
import { printObjects } from "./get.ts";
import { listAll } from "./list-all.ts";
import { watchObjects } from "./watch.ts";

interface EventOptions extends ChoiceOptions, FormatOptions {
  readonly for?: string;
  readonly limit?: number;
  readonly watch?: boolean;
}

export function addEvents(program: Command, open: OpenContext): void {
  const events = program
    .command("events")
    .description("List events across clusters, newest last")
    .examples("fairlead events -n shop --for pod/web-0");
  addObjectFormat(addChoiceOptions(events))
    .option("--for <object>", "Only events of this object, for example pod/web-0")
    .option("--limit <number>", "Maximum number of entries, counted from the newest (default: all)", limitOf("objects"))
    .option("-w, --watch", "Print events as they happen, until Ctrl-C")
    .action((options: EventOptions, command: Command) => listEvents(open(command), options));
}

async function listEvents(context: CommandContext, options: EventOptions): Promise<void> {
  const { output, signal } = context;
  const format = await readObjectFormat(options, output.isJson);
  const client = await context.hub();
  const fieldSelector = options.for === undefined ? undefined : await toFieldSelector(client, options.for, signal);
  const filter = { ...toChoice(options), kind: "events", fieldSelector };
  if (options.watch) return watchObjects(context, { filter, format });

  const query = { ...filter, include: needsObject(format) ? "object" : undefined, sort: "-changed" } as const;
  const list = await listAll(client, query, { limit: options.limit, signal });
  await printObjects(context, { ...list, items: list.items.toReversed() }, { filter, format });
}

/** Events name their object by its kind's full name. */
async function toFieldSelector(client: HubClient, text: string, signal: AbortSignal): Promise<string> {
  const { kind, name } = readTarget(text, undefined);
  if (name === undefined) throw usage(`'${text}' isn't a kind and a name.`, "Write it like pod/web-0.");
  const { items } = await client.listKinds({ signal });
  const kindName = findKindName(items, kind) ?? (/^[A-Z]/.test(kind) ? kind : undefined);
  if (kindName === undefined) throw objectsErrors.CLI_EVENT_KIND_UNKNOWN({ kind });
  return `involvedObject.kind=${kindName},involvedObject.name=${name}`;
}

/** A kind that one cluster defines mustn't take the name of one that Kubernetes has, nor of one that more clusters have. */
export function findKindName(kinds: readonly KindInfo[], name: string): string | undefined {
  const named = kinds.filter((info) => namesOf(info).includes(name.toLowerCase()));
  const [meant] = named.toSorted((one, other) => rank(one) - rank(other) || other.clusters - one.clusters);
  return meant?.kindName;
}

/** As kubectl does: groups of Kubernetes itself before those that were added. */
function rank({ kind }: KindInfo): number {
  const [, ...group] = kind.split(".");
  if (group.length <= 1) return group.length;
  return kind.endsWith(".k8s.io") ? 2 : 3;
}

function namesOf({ kind, kindName, shortNames }: KindInfo): string[] {
  const [plural = "", ...group] = kind.split(".");
  const singular = kindName.toLowerCase();
  const names = [kind, plural, singular, ...shortNames];
  return group.length === 0 ? names : [...names, `${singular}.${group.join(".")}`];
}

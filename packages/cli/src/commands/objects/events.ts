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
  const known = items.find((info) => namesOf(info).includes(kind.toLowerCase()))?.kindName;
  const kindName = known ?? (/^[A-Z]/.test(kind) ? kind : undefined);
  if (kindName === undefined) throw objectsErrors.CLI_EVENT_KIND_UNKNOWN({ kind });
  return `involvedObject.kind=${kindName},involvedObject.name=${name}`;
}

function namesOf({ kind, kindName, shortNames }: KindInfo): string[] {
  const [plural = "", ...group] = kind.split(".");
  const singular = kindName.toLowerCase();
  const names = [kind, plural, singular, ...shortNames];
  return group.length === 0 ? names : [...names, `${singular}.${group.join(".")}`];
}

// `get -w`: what there is, then a line for each change, for as long as someone looks.
import { once } from "node:events";
import type { DataAge, KindTable, ObjectFilter, ObjectItem } from "@fairlead/contract";
import type { CommandContext } from "../../context.ts";
import { type FollowHandler, followObjects, keyOf, type ObjectKey } from "../../live/index.ts";
import type { Output } from "../../output/index.ts";
import { AgeNotices } from "./age-notices.ts";
import { describeMissing } from "./data-age.ts";
import { objectNotFound } from "./errors.ts";
import { needsObject, type ObjectFormat } from "./format-option.ts";
import { KindTables } from "./kind-tables.ts";
import { pluralOf } from "./near-kinds.ts";
import { createColumnsPrinter } from "./watch-columns.ts";
import { type ChangePrinter, createDocumentPrinter } from "./watch-documents.ts";
import { createTablePrinter } from "./watch-table.ts";

export async function watchObjects(
  context: CommandContext,
  { filter, format }: { readonly filter: ObjectFilter; readonly format: ObjectFormat },
): Promise<never> {
  const { output, signal, terminal } = context;
  const include = needsObject(format) ? "object" : undefined;
  // Asked once in the plain way: what is wrong with the question is answered best there.
  const list = await (await context.hub()).listObjects({ ...filter, limit: 1 }, { signal });
  const { kind = "", name } = filter;
  if (name !== undefined && list.items.length === 0)
    throw objectNotFound({ kind: list.tables[0] ? pluralOf(list.tables[0].kind) : kind, name }, list.clusters);

  for (const warning of describeMissing(list.clusters)) output.notice(output.safe(warning));
  const ages = new AgeNotices(output, terminal.now);
  const printer = createPrinter(context, { filter, format, ages });
  const write = async (text: string): Promise<void> => {
    if (text === "") return;
    const isTaken = format.type === "json" ? output.printJson(text) : output.print(text);
    if (!isTaken) await once(terminal.stdout, "drain", { signal });
  };
  const handler = createWatchHandler({ printer, ages, write, output });
  return followObjects({ open: await context.live(), filter, include, handler, signal });
}

function createPrinter(
  context: CommandContext,
  options: { readonly filter: ObjectFilter; readonly format: ObjectFormat; readonly ages: AgeNotices },
): ChangePrinter {
  const { filter, format, ages } = options;
  switch (format.type) {
    case "table":
      return createTablePrinter(context, { filter, format, ages });
    case "custom-columns":
      return createColumnsPrinter(context, format);
    case "json":
    case "yaml":
    case "name":
    case "jsonpath":
      return createDocumentPrinter({ filter, format });
    default:
      return format satisfies never;
  }
}

/** Remembers what was printed, so that what is said again isn't printed again, and what is gone can be named. */
function createWatchHandler(options: {
  readonly printer: ChangePrinter;
  readonly ages: AgeNotices;
  readonly write: (text: string) => Promise<void>;
  readonly output: Output;
}): FollowHandler {
  const { printer, ages, write, output } = options;
  const tables = new KindTables();
  const printed = new Map<string, { readonly item: ObjectItem; readonly mark: string }>();
  let first: Map<string, ObjectItem> | undefined = new Map();

  return { onItems, onRemoved, onSynced, onAges, onAway, onBack };

  async function onItems(items: readonly ObjectItem[], newTables: readonly KindTable[]): Promise<void> {
    tables.add(newTables);
    if (first) for (const item of items) first.set(keyOf(item), item);
    else await print(items);
  }

  async function print(items: readonly ObjectItem[]): Promise<void> {
    const changes = items.flatMap((item) => {
      const [key, mark] = [keyOf(item), printer.mark(item)];
      const before = printed.get(key);
      printed.set(key, { item: printer.keep(item), mark });
      if (before?.mark === mark) return [];
      return [{ item, type: before ? "MODIFIED" : "ADDED" } as const];
    });
    await write(await printer.print(changes, tables));
  }

  async function onRemoved(keys: readonly ObjectKey[]): Promise<void> {
    if (first) for (const key of keys) first.delete(keyOf(key));
    else await printGone(keys.map(keyOf));
  }

  async function printGone(keys: readonly string[]): Promise<void> {
    const gone = keys.flatMap((key) => {
      const before = printed.get(key);
      printed.delete(key);
      return before ? [{ item: before.item, type: "DELETED" } as const] : [];
    });
    await write(await printer.print(gone, tables));
  }

  async function onSynced(whole: ReadonlySet<string> | undefined): Promise<void> {
    if (first) {
      const items = [...first.values()].sort(byPlace);
      first = undefined;
      await print(items);
      if (items.length === 0) output.remark("No resources found.");
      ages.tellFirst();
    } else if (whole) {
      await printGone([...printed.keys()].filter((key) => !whole.has(key)));
    }
  }

  async function onAges(clusters: readonly DataAge[]): Promise<void> {
    if (ages.take(clusters)) await write(printer.printAges(clusters));
  }

  function onAway({ message }: Error): void {
    output.notice(`${output.safe(message)} What was printed stays as it was; trying again.`);
  }

  function onBack(): void {
    output.notice("The hub is back.");
  }
}

function byPlace(one: ObjectItem, other: ObjectItem): number {
  return compare(one.kind, other.kind) || compare(one.cluster, other.cluster) || compare(pathOf(one), pathOf(other));
}

function pathOf({ namespace = "", name }: ObjectItem): string {
  return `${namespace}/${name}`;
}

function compare(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}

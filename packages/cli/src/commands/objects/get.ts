import type { ObjectFilter, ObjectList } from "@fairlead/contract";
import type { Command } from "../../command.ts";
import type { CommandContext, OpenContext } from "../../context.ts";
import { renderColumns } from "../../formats/index.ts";
import { limitOf } from "../limit.ts";
import { expandAll } from "./all-kinds.ts";
import { addChoiceOptions, type ChoiceOptions, isOfOneCluster, readTarget, toChoice } from "./choice.ts";
import { tellTroubles } from "./data-age.ts";
import { renderDocument, toDocument } from "./document.ts";
import {
  addObjectFormat,
  type FormatOptions,
  needsObject,
  type ObjectFormat,
  readObjectFormat,
} from "./format-option.ts";
import { listAll } from "./list-all.ts";
import { suggestKinds } from "./near-kinds.ts";
import { nameNotFound } from "./near-names.ts";
import { parseSort } from "./sort.ts";
import { renderObjects, toStyle } from "./table-row.ts";
import { watchObjects } from "./watch.ts";

interface GetOptions extends ChoiceOptions, FormatOptions {
  readonly selector?: string;
  readonly fieldSelector?: string;
  readonly search?: string;
  readonly health?: string;
  readonly sortBy?: string;
  readonly limit?: number;
  readonly watch?: boolean;
}

export function addGet(program: Command, open: OpenContext): void {
  const get = program
    .command("get")
    .description("List objects across clusters")
    .examples(
      "fairlead get pods --all-clusters --watch",
      "fairlead get deploy -n shop --health Degraded",
      "fairlead get pod/web-0 --cluster east -o yaml",
    )
    .argument("<kinds>", "Kinds, for example pods, po,svc, deployments.apps, all or pod/web-0")
    .argument("[object]", "Name of a single object");
  addObjectFormat(addChoiceOptions(get))
    .option("-l, --selector <selector>", "Only objects whose labels match, for example app=web,tier!=cache")
    .option("--field-selector <selector>", "Only objects whose fields match, for example spec.nodeName=node-1")
    .option("--search <text>", "Only objects with this text in their name, namespace, labels or images")
    .option(
      "--health <health>",
      "Only objects with this health: Healthy, Progressing, Degraded, Suspended, Missing or Unknown, separated by commas",
    )
    .option(
      "--sort-by <order>",
      "Sort by name, namespace, cluster, kind, age, changed or health (default: cluster); a leading - reverses the order",
      parseSort,
    )
    .option("--limit <number>", "Maximum number of objects (default: all)", limitOf("objects"))
    .option("-w, --watch", "Print changes as they happen, until Ctrl-C")
    .action((kinds: string, name: string | undefined, options: GetOptions, command: Command) => {
      const context = open(command);
      const target = readTarget(kinds, name);
      return suggestKinds(context, target.kind, () => getObjects(context, target, options));
    });
}

async function getObjects(
  context: CommandContext,
  target: { readonly kind: string; readonly name?: string },
  options: GetOptions,
): Promise<void> {
  const { output, signal } = context;
  const format = await readObjectFormat(options, output.isJson);
  const hub = await context.hub();
  const kind = await expandAll(hub, target, signal);
  const filter = toFilter({ ...target, kind }, options);
  if (options.watch) return watchObjects(context, { filter, format });
  const include = needsObject(format) ? "object" : undefined;
  const query = { ...filter, include, sort: options.sortBy ?? "cluster" } as const;
  const list = await listAll(hub, query, { limit: options.limit, signal });
  if (target.name !== undefined && list.items.length === 0) throw await nameNotFound(hub, list, { filter, signal });
  await printObjects(context, list, { filter, format });
}

function toFilter(
  { kind, name }: { readonly kind: string; readonly name?: string },
  options: GetOptions,
): ObjectFilter {
  const { selector: labelSelector, fieldSelector, search, health } = options;
  return { ...toChoice(options), kind, name, labelSelector, fieldSelector, search, health };
}

export async function printObjects(
  context: CommandContext,
  list: ObjectList,
  { filter, format }: { readonly filter: ObjectFilter; readonly format: ObjectFormat },
): Promise<void> {
  const { output } = context;
  const text = await renderList(context, list, { filter, format });
  if (format.type === "json") output.printJson(text);
  else output.print(text);
  if (list.items.length === 0) output.remark(sayNothingFound(list, filter));
  tellTroubles(output, list.clusters);
}

async function renderList(
  { output, terminal }: CommandContext,
  list: ObjectList,
  { filter, format }: { readonly filter: ObjectFilter; readonly format: ObjectFormat },
): Promise<string> {
  switch (format.type) {
    case "table": {
      const { isWide, hasHeadings } = format;
      const style = toStyle(filter, { isWide, hasHeadings, showsKind: kindsOf(list).size > 1, now: terminal.now });
      return renderObjects(output, list, style);
    }
    case "custom-columns":
      // Beside the object's own fields there is `.cluster`.
      return renderColumns(
        output,
        list.items.map((item) => toDocument(item, false)),
        format,
      );
    case "json":
    case "yaml":
    case "name":
    case "jsonpath":
      return renderDocument(list, format, {
        isOfOneCluster: isOfOneCluster(filter),
        isNamed: filter.name !== undefined,
      });
    default:
      return format satisfies never;
  }
}

function kindsOf({ tables }: ObjectList): ReadonlySet<string> {
  return new Set(tables.map(({ kind }) => kind));
}

/** Says that nothing was found. People who may not know, or ask for a kind that isn't there, get an error instead. */
function sayNothingFound({ clusters, tables }: ObjectList, { clusterSelector, namespace }: ObjectFilter): string {
  if (clusters.length === 0 && clusterSelector !== undefined) {
    return `No resources found: no cluster that you can see has labels like ${clusterSelector}.`;
  }
  const isOfNamespace = namespace !== undefined && tables.some(({ namespaced }) => namespaced);
  return `No resources found${isOfNamespace ? ` in the namespace ${namespace}` : ""}.`;
}

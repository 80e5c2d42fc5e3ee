import type { KindInfo } from "@fairlead/contract";
import type { Command } from "../../command.ts";
import type { CommandContext, OpenContext } from "../../context.ts";

interface ResourceOptions {
  readonly namespaced?: boolean;
  readonly apiGroup?: string;
}

export function addApiResources(program: Command, open: OpenContext): void {
  program
    .command("api-resources")
    .prints("kind", ({ kind }) => String(kind))
    .description("List the kinds of objects that clusters have, with their short names")
    .examples("fairlead api-resources --api-group apps")
    .option("--namespaced", "Only kinds whose objects have a namespace")
    .option("--no-namespaced", "Only kinds whose objects have no namespace")
    .option("--api-group <group>", "Only kinds of this API group, for example apps; '' for the core group")
    .action((options: ResourceOptions, command: Command) => listResources(open(command), options));
}

async function listResources(context: CommandContext, { namespaced, apiGroup }: ResourceOptions): Promise<void> {
  const { output, signal } = context;
  const known = await (await context.hub()).listKinds({ signal });
  const items = known.items
    .filter((item) => namespaced === undefined || item.namespaced === namespaced)
    .filter((item) => apiGroup === undefined || groupOf(item) === apiGroup)
    .toSorted((one, other) => compare(groupOf(one), groupOf(other)) || compare(one.kind, other.kind));
  const rows = items.map(({ kind, shortNames, apiVersion, namespaced: isNamespaced, kindName, clusters, objects }) => [
    output.safe(kind.split(".", 1)[0]),
    output.safe(shortNames.join(",")),
    output.safe(apiVersion),
    String(isNamespaced),
    output.safe(kindName),
    String(clusters),
    String(objects),
  ]);
  output.answer({ items }, () => (rows.length === 0 ? "" : output.table(heading, rows)));
  if (items.length === 0) output.remark("No kinds.");
}

const heading = ["NAME", "SHORTNAMES", "APIVERSION", "NAMESPACED", "KIND", "CLUSTERS", "OBJECTS"];

function groupOf({ apiVersion }: KindInfo): string {
  return apiVersion.includes("/") ? apiVersion.slice(0, apiVersion.indexOf("/")) : "";
}

function compare(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}

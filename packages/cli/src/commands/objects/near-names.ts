import type { HubClient, ObjectFilter, ObjectList } from "@fairlead/contract";
import { type FairleadError, findNearest } from "@fairlead/kernel";
import { objectNotFound } from "./errors.ts";
import { listAll } from "./list-all.ts";
import { pluralOf } from "./near-kinds.ts";

/** The error for a name that isn't there, with the name that was likely meant. */
export async function nameNotFound(
  hub: Pick<HubClient, "listObjects">,
  list: Pick<ObjectList, "clusters" | "tables">,
  options: { readonly filter: ObjectFilter; readonly signal: AbortSignal },
): Promise<FairleadError> {
  const { filter, signal } = options;
  const { name = "", kind = "" } = filter;
  const [only, more] = list.tables;
  const plural = only && !more ? pluralOf(only.kind) : kind;
  const { name: _, labelSelector: __, ...others } = filter;
  // Whether there is a hint must not decide what the command says.
  const there = await listAll(hub, { ...others, sort: "name" }, { limit: mostCompared, signal }).catch(() => undefined);
  const names = there?.items.map((item) => item.name) ?? [];
  return objectNotFound({ kind: plural, name, nearest: findNearest(name, names) }, list.clusters);
}

const mostCompared = 1_000;

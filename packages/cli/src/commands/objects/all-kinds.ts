import type { HubClient } from "@fairlead/contract";
import { usage } from "../../errors.ts";

/** The kinds that `all` stands for: kubectl's category, as far as clusters have them. Other kinds stay as they are. */
export async function expandAll(
  hub: Pick<HubClient, "listKinds">,
  { kind, name }: { readonly kind: string; readonly name?: string },
  signal: AbortSignal,
): Promise<string> {
  const kinds = kind.split(",");
  if (!kinds.includes("all")) return kind;
  if (name !== undefined)
    throw usage("'all' can't be combined with a name.", "Name the object's kind, for example pods web-0.");
  const { items } = await hub.listKinds({ signal });
  const there = new Set(items.map((item) => item.kind));
  const found = category.filter((each) => there.has(each));
  // Where clusters have none of them, the hub says why.
  const all = found.length > 0 ? found : category;
  return [...new Set(kinds.flatMap((each) => (each === "all" ? all : [each])))].join(",");
}

const category: readonly string[] = [
  "pods",
  "replicationcontrollers",
  "services",
  "daemonsets.apps",
  "deployments.apps",
  "replicasets.apps",
  "statefulsets.apps",
  "horizontalpodautoscalers.autoscaling",
  "cronjobs.batch",
  "jobs.batch",
];

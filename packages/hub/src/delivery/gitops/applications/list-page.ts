// A page of the applications of many clusters, cluster after cluster.
import type { ApplicationList, ApplicationListQuery, ApplicationSummary } from "@fairlead/contract";
import type { GitopsObject } from "@fairlead/protocol";
import { type ShownIn, toApplicationSummary } from "./show-application.ts";

/** Some of `clusters`, in the order of their names. A page may have less than its limit and still a next one. */
export async function listPage(options: {
  readonly clusters: readonly ShownIn[];
  readonly query: ApplicationListQuery;
  readonly read: (cluster: ShownIn) => Promise<readonly GitopsObject[]>;
}): Promise<ApplicationList> {
  const { clusters, query, read } = options;
  const { limit = usualLimit, cursor = "" } = query;
  const [afterCluster = "", afterNamespace = "", afterName = ""] = cursor.split("/");
  const items: ApplicationSummary[] = [];
  const left = clusters.filter(({ cluster }) => cluster >= afterCluster);
  for (const [index, where] of left.entries()) {
    const last = left[index - 1];
    if (last !== undefined && index >= maxClusters) return { items, next: `${last.cluster}/~` };
    const found = (await read(where)).map((object) => toApplicationSummary(object, where)).sort(byPlace);
    const isAfter = (each: ApplicationSummary): boolean =>
      where.cluster !== afterCluster || comparePlaces(each, { namespace: afterNamespace, name: afterName }) > 0;
    for (const each of found.filter((one) => isAfter(one) && isAsked(one, query))) {
      const before = items.at(-1);
      if (items.length === limit && before)
        return { items, next: `${before.cluster}/${before.namespace}/${before.name}` };
      items.push(each);
    }
  }
  return { items };
}

function isAsked(found: ApplicationSummary, { project, sync, health }: ApplicationListQuery): boolean {
  const isMet = (wanted: string | undefined, value: string): boolean => wanted === undefined || wanted === value;
  return isMet(project, found.project) && isMet(sync, found.sync) && isMet(health, found.health);
}

function byPlace(left: ApplicationSummary, right: ApplicationSummary): number {
  return comparePlaces(left, right);
}

function comparePlaces(left: Place, right: Place): number {
  return compare(left.namespace, right.namespace) || compare(left.name, right.name);
}

function compare(left: string, right: string): number {
  return left === right ? 0 : left < right ? -1 : 1;
}

interface Place {
  readonly namespace: string;
  readonly name: string;
}

const usualLimit = 100;
/** Read for one page: a filter may leave little of each. */
const maxClusters = 100;

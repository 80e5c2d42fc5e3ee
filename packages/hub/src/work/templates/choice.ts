import type { TemplateClusters } from "@fairlead/contract";
import { matchesLabels } from "@fairlead/kernel";
import { parseLabelSelector } from "../../picture/objects/index.ts";
import type { Clusters } from "../../reach/clusters/index.ts";

/** Gives a function that says whether the template is for a cluster. Throws OBJECTS_SELECTOR_INVALID. */
export function createClusterChoice(
  clusters: Pick<Clusters, "labels">,
  choice: TemplateClusters,
): (cluster: string) => boolean {
  if ("all" in choice) return () => true;
  if ("names" in choice) {
    const names = new Set(choice.names);
    return (cluster) => names.has(cluster);
  }
  const requirements = parseLabelSelector(choice.selector);
  return (cluster) => {
    const labels = clusters.labels(cluster);
    return labels !== undefined && matchesLabels(requirements, labels);
  };
}

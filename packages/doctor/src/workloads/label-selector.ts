import { type Fields, matchesLabels, readLabelSelector } from "@fairlead/kernel";
import { readTextMap } from "../snapshot/index.ts";

/** A selector of Kubernetes: `matchLabels` and `matchExpressions`, all of which must hold. An empty one takes everything. */
export function selectsLabels(selector: Fields, labels: Fields): boolean {
  const requirements = readLabelSelector(selector);
  return requirements !== undefined && matchesLabels(requirements, readTextMap(labels));
}

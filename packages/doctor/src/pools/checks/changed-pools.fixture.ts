import type { ClusterObject } from "../../snapshot/index.ts";
import { changed, readStandIn } from "../../testing/stand-ins.fixture.ts";

export const karpenter: readonly ClusterObject[] = readStandIn("pools/karpenter-aws");
export const component = "class.truefoundry.com/component";

/** The template for nodes in a NodePool. */
export interface Template {
  metadata?: { labels: Record<string, string> };
  spec: { taints?: object[]; requirements: { key: string; operator: string; values?: string[] }[] };
}

/** The pools, one of which is edited. */
export function change(pool: string, edit: (template: Template) => void): ClusterObject[] {
  return changed(karpenter, "NodePool", pool, (each) => {
    edit((each["spec"] as { template: Template }).template);
  });
}

/** Replaces the requirement of a key; without values there is none. */
export function restrict({ spec }: Template, key: string, ...values: readonly string[]): void {
  spec.requirements = spec.requirements.filter((requirement) => requirement.key !== key);
  if (values.length > 0) spec.requirements.push({ key, operator: "In", values: [...values] });
}

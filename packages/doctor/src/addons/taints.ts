import { Fields } from "@fairlead/kernel";
import type { ClusterObject } from "../snapshot/index.ts";
import type { Workload } from "../workloads/index.ts";

export interface Taint {
  readonly key: string;
  readonly value: string;
  readonly effect: string;
}

/** Those that keep pods away. Kubernetes' own, which say how a node is, come and go and are left out. */
export function taintsOf(node: ClusterObject): Taint[] {
  return new Fields(node)
    .at("spec", "taints")
    .list()
    .map((taint) => ({
      key: taint.at("key").text() ?? "",
      value: taint.at("value").text() ?? "",
      effect: taint.at("effect").text() ?? "",
    }))
    .filter(({ key, effect }) => effect !== "PreferNoSchedule" && !key.startsWith("node.kubernetes.io/"));
}

/** As the scheduler matches them: without a key, a toleration fits all; without an effect, each one. */
export function isTolerated(taint: Taint, workload: Workload): boolean {
  return tolerationsOf(workload)
    .map((toleration) => new Fields(toleration))
    .some((toleration) => {
      const effect = toleration.at("effect").text();
      if (effect !== undefined && effect !== taint.effect) return false;
      const key = toleration.at("key").text();
      if (key !== undefined && key !== taint.key) return false;
      if (toleration.at("operator").text() === "Exists") return true;
      return key !== undefined && (toleration.at("value").text() ?? "") === taint.value;
    });
}

export function tolerationsOf({ object }: Workload): readonly unknown[] {
  return new Fields(object)
    .at("spec", "template", "spec", "tolerations")
    .list()
    .map((toleration) => toleration.raw);
}

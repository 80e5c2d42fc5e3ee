import { Fields } from "@fairlead/kernel";
import { type Check, pass, warn } from "../../checks/index.ts";
import { workloadsOf } from "../../detect/index.ts";
import type { Workload } from "../../workloads/index.ts";

export const oneRevision: Check = {
  id: "istio.one-revision",
  title: "One revision of the control plane runs",
  why: "Two revisions side by side are how Istio is upgraded. When that is over, the older one should go: pods that still ask it get the configuration of an old version.",
  severity: "recommended",
  features: [],
  judge: ({ installation }) => {
    const found = workloadsOf(installation, "discovery");
    const revisions = [...new Set(found.map(revisionOf))].toSorted();
    if (revisions.length < 2) return pass(`Revision ${revisions[0] ?? "default"} runs.`);
    return warn(
      `Several revisions run: ${revisions.join(", ")}.`,
      found.map((workload) => ({
        object: workload.ref,
        path: "metadata.labels[istio.io/rev]",
        observed: revisionOf(workload),
        expected: "one revision",
      })),
    );
  },
};

function revisionOf({ object }: Workload): string {
  return new Fields(object).at("metadata", "labels", "istio.io/rev").text() ?? "default";
}

import { type Check, fail, pass } from "../../checks/index.ts";
import { type Installation, workloadsOf } from "../../detect/index.ts";
import { formatRef } from "../../snapshot/index.ts";
import { runningWorkloads, type Workload } from "../../workloads/index.ts";

export const nodeProxies: Check = {
  id: "istio.node-proxies",
  title: "Ambient mode has its proxies on every node",
  why: "In ambient mode the ztunnel of a node carries all traffic of its pods, and the CNI plugin leads it there. On a node without them, pods of the mesh reach nobody, or go around the mesh.",
  severity: "required",
  features: ["endpoint-authentication", "autoscaling-by-requests"],
  appliesTo: ({ installation }) => proxiesOf(installation).length > 0,
  judge: ({ installation }) => {
    const proxies = proxiesOf(installation);
    // How many nodes want one stands in the status, too.
    const short = runningWorkloads(proxies).filter(({ ready, desired }) => ready < desired);
    if (short.length === 0) return pass("The proxies run on every node.");
    return fail(
      `Not on every node: ${short.map(({ ref }) => formatRef(ref)).join(", ")}.`,
      short.map(({ ref, ready, desired }) => ({
        object: ref,
        path: "status.numberReady",
        observed: String(ready),
        expected: String(desired),
      })),
    );
  },
};

function proxiesOf(installation: Installation): readonly Workload[] {
  return [...workloadsOf(installation, "ztunnel"), ...workloadsOf(installation, "cni")];
}

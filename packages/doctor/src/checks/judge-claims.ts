import { Fields } from "@fairlead/kernel";
import type { Evidence, Snapshot } from "../snapshot/index.ts";
import { claimsOf, runningWorkloads, type Workload } from "../workloads/index.ts";
import { few } from "./few.ts";
import { type Fix, fail, pass, type Verdict, warn } from "./verdict.ts";

/** Every volume of these workloads is bound; data without a volume is lost with its pod, which is worth a warning. */
export function judgeClaims(options: {
  readonly snapshot: Snapshot;
  readonly workloads: readonly Workload[];
  /** The fix that gives them a volume. */
  readonly fix?: Fix | undefined;
}): Verdict {
  const { snapshot, workloads, fix } = options;
  const volatile = workloads.filter((workload) => claimsOf(workload).length === 0);
  const claims = snapshot.list("persistentvolumeclaims");
  const evidence = workloads.flatMap((workload) =>
    claimsOf(workload).map((name): Evidence => {
      const namespace = workload.ref.namespace ?? "default";
      const claim = claims.find(({ metadata }) => metadata.name === name && metadata.namespace === namespace);
      return {
        object: { resource: "persistentvolumeclaims", namespace, name },
        path: "status.phase",
        observed: claim ? (new Fields(claim).at("status", "phase").text() ?? "no phase") : "there is no such claim",
        expected: "Bound",
      };
    }),
  );
  const unbound = evidence.filter(({ observed }) => observed !== "Bound");
  // Claims are made with the pods.
  if (unbound.length > 0) runningWorkloads(workloads.filter((workload) => claimsOf(workload).length > 0));
  if (unbound.length > 0) return fail("A volume isn't bound, so that pods wait for it.", few(unbound));
  if (volatile.length > 0)
    return warn("Data is lost with its pod: it lies in no persistent volume.", few(volatile).map(noVolume), fix);
  return pass("Each volume is bound.", few(evidence));
}

function noVolume({ ref }: Workload): Evidence {
  return { object: ref, path: "spec.volumeClaimTemplates", observed: "none", expected: "a persistent volume" };
}

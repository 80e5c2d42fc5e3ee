import type { Meter, Sample } from "@fairlead/kernel";

/** Over all clusters whose exchange of applications this hub serves now. */
export interface GitopsTotals {
  readonly calls: number;
  readonly byFlow: ReadonlyMap<string, FlowTotals>;
  /** The oldest change that a cluster hasn't acknowledged. */
  readonly oldestPendingMs: number;
  readonly heldDeletions: number;
}

export interface FlowTotals {
  readonly objects: number;
  readonly dirty: number;
  readonly refused: number;
}

export function addGitopsMetrics(meter: Meter, gitops: () => GitopsTotals): void {
  const byFlow = (pick: (flow: FlowTotals) => number): Sample[] =>
    [...gitops().byFlow].map(([flow, totals]) => [{ flow }, pick(totals)]);

  meter.add("fairlead_gitops_calls", () => gitops().calls);
  meter.add("fairlead_gitops_objects", () => byFlow(({ objects }) => objects));
  meter.add("fairlead_gitops_pending_changes", () => byFlow(({ dirty }) => dirty));
  meter.add("fairlead_gitops_refused_objects", () => byFlow(({ refused }) => refused));
  meter.add("fairlead_gitops_oldest_pending_seconds", () => gitops().oldestPendingMs / 1000);
  meter.add("fairlead_gitops_held_deletions", () => gitops().heldDeletions);
}

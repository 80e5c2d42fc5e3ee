import type { Registry } from "prom-client";
import { gauge, type Sample } from "./samples.ts";

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

export function addGitopsMetrics(registry: Registry, gitops: () => GitopsTotals): void {
  const byFlow = (pick: (flow: FlowTotals) => number): Sample[] =>
    [...gitops().byFlow].map(([flow, totals]) => [{ flow }, pick(totals)]);

  gauge(registry, "fairlead_gitops_calls", "Clusters whose applications this hub exchanges now", () => [
    [{}, gitops().calls],
  ]);
  gauge(registry, "fairlead_gitops_objects", "Objects at this end of a flow, of all its clusters", () =>
    byFlow(({ objects }) => objects),
  );
  gauge(registry, "fairlead_gitops_pending_changes", "Changes that the other side hasn't, by flow", () =>
    byFlow(({ dirty }) => dirty),
  );
  gauge(registry, "fairlead_gitops_refused_objects", "Objects that a cluster doesn't take, by flow", () =>
    byFlow(({ refused }) => refused),
  );
  gauge(registry, "fairlead_gitops_oldest_pending_seconds", "Age of the oldest change that a cluster hasn't", () => [
    [{}, gitops().oldestPendingMs / 1000],
  ]);
  gauge(registry, "fairlead_gitops_held_deletions", "Deletions of applications that wait for a confirmation", () => [
    [{}, gitops().heldDeletions],
  ]);
}

import type { PlannedResource, PlanReport } from "./read-plan.ts";

export type FittedReport = Omit<PlanReport, "isEmpty"> & {
  /** How many resources more there are; the log names them all. */
  readonly omitted?: number;
};

/** Cuts a report to the size that the hub keeps. A resource that doesn't fit loses its changes, or is left out. */
export function fitReport({ isEmpty: _, ...report }: PlanReport, limitBytes: number = maxBytes): FittedReport {
  let leftBytes = limitBytes - sizeOf(report.outputs);
  let omitted = 0;
  const fit = (all: readonly PlannedResource[]): PlannedResource[] =>
    all.flatMap((resource) => {
      const { changes: _changes, ...bare } = resource;
      const fitting = [resource, bare].find((each) => sizeOf(each) <= leftBytes);
      if (fitting === undefined) omitted++;
      else leftBytes -= sizeOf(fitting);
      return fitting ?? [];
    });
  const fitted = { ...report, resources: fit(report.resources), drift: fit(report.drift) };
  return omitted === 0 ? fitted : { ...fitted, omitted };
}

function sizeOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value)) + 1;
}

/** The hub keeps 1 MiB. */
const maxBytes = 800 * 1024;

import {
  allChecks,
  type CheckReport,
  type Evidence,
  type Fitness,
  formatRef,
  type ObjectRef,
  type Report,
} from "@fairlead/doctor";
import type { Place } from "../dump/index.ts";

/** All that the command says, in whichever format. */
export interface Examination {
  readonly report: Report;
  readonly fitness: Fitness;
  /** Manifests that would let the reader see what was hidden. */
  readonly rightsMissing: readonly object[];
  readonly read: Read;
  /** The file that an object was read from. */
  readonly placeOf: (ref: ObjectRef) => Place | undefined;
}

/** How much was looked at. */
export interface Read {
  readonly objects: number;
  /** Their kinds, as CRDs are named. */
  readonly resources: readonly string[];
}

/** A check's verdict as people see it: a failed check that isn't required is a warning. */
export type Outcome = "pass" | "fail" | "warn" | "unknown";

export function outcomeOf({ check, verdict }: CheckReport): Outcome {
  return verdict.is === "fail" && check.severity !== "required" ? "warn" : verdict.is;
}

/** The worst first, those that pass left out. */
export function troublesOf(report: Report): CheckReport[] {
  const checks = allChecks(report);
  return (["fail", "warn", "unknown"] as const).flatMap((outcome) =>
    checks.filter((check) => outcomeOf(check) === outcome),
  );
}

/** Where the check's page lies in the documentation. */
export function pageOf(checkId: string): string {
  return `docs/checks/${checkId}.md`;
}

/** In one line. */
export function describeEvidence({ object, path, observed, expected }: Evidence): string {
  return `${formatRef(object)} ${path}: is ${showObserved(observed)}, should be ${expected}`;
}

export function showObserved(observed: string): string {
  return observed === "" ? "(nothing)" : observed;
}

import { type ClusterCheck, type ClusterInput, judgeCheck, type Verdict } from "../checks/index.ts";
import { fairlead } from "../profiles/index.ts";
import { type ClusterObject, snapshotOfObjects } from "../snapshot/index.ts";

export interface JudgeOptions extends Partial<Omit<ClusterInput, "snapshot">> {
  readonly hidden?: ReadonlyMap<string, string>;
}

/** Runs checks of the whole cluster on one that holds these objects and nothing else. Verdicts are by check id. */
export function judgeChecks(
  checks: readonly ClusterCheck[],
  objects: readonly ClusterObject[],
  { hidden = new Map(), ...options }: JudgeOptions = {},
): Map<string, Verdict> {
  const input: ClusterInput = {
    snapshot: snapshotOfObjects({ objects, isComplete: true, hidden }),
    profile: fairlead,
    clusterType: "generic",
    now: new Date("2026-01-01T00:00:00Z"),
    ...options,
  };
  return new Map(
    checks.flatMap((check) => {
      const verdict = judgeCheck(check, input);
      return verdict ? [[check.id, verdict] as const] : [];
    }),
  );
}

/** Ids of those that don't pass, each with how it is judged. */
export function notPassed(verdicts: ReadonlyMap<string, Verdict>): Record<string, Verdict["is"]> {
  return Object.fromEntries([...verdicts].filter(([, { is }]) => is !== "pass").map(([id, { is }]) => [id, is]));
}

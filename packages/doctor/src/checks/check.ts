import type { ClusterType } from "../cluster-type/index.ts";
import type { Installation } from "../detect/index.ts";
import type { FeatureId } from "../features/index.ts";
import type { Profile } from "../profiles/index.ts";
import { doctorErrors, type Snapshot } from "../snapshot/index.ts";
import { unknown, type Verdict } from "./verdict.ts";

/** One requirement, asked of one cluster. Its page in the documentation is made from these fields. */
export interface Check {
  /** `ADDON.NAME`, both in kebab case: `argocd.application-namespaces`. Never changes once released. */
  readonly id: string;
  /** What holds when it passes, as a sentence without a full stop. */
  readonly title: string;
  /** Why it matters, in Markdown, for its page. */
  readonly why: string;
  /** A `required` check that fails makes its addon misconfigured and blocks features; a `recommended` one degrades them. */
  readonly severity: "required" | "recommended";
  readonly features: readonly FeatureId[];
  /** Left out where the question makes no sense: for another cluster type, or a part that isn't used. */
  readonly appliesTo?: (input: CheckInput) => boolean;
  readonly judge: (input: CheckInput) => Verdict;
}

export interface CheckInput {
  readonly snapshot: Snapshot;
  readonly profile: Profile;
  readonly clusterType: ClusterType;
  /** What was found of the addon that the check belongs to. */
  readonly installation: Installation;
  readonly now: Date;
}

/** A check that meets something hidden is unknown; it never passes, and never fails. */
export function judgeCheck(check: Check, input: CheckInput): Verdict | undefined {
  try {
    if (check.appliesTo && !check.appliesTo(input)) return undefined;
    return check.judge(input);
  } catch (thrown) {
    if (doctorErrors.is(thrown, "DOCTOR_HIDDEN")) return unknown(thrown.message);
    throw thrown;
  }
}

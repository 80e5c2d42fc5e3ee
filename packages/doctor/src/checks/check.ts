import { reasonOf } from "@fairlead/kernel";
import type { ClusterType } from "../cluster-type/index.ts";
import type { Installation } from "../detect/index.ts";
import type { FeatureId } from "../features/index.ts";
import type { GatewayPreference, Profile } from "../profiles/index.ts";
import { doctorErrors, type Snapshot } from "../snapshot/index.ts";
import { notRunning, unknown, type Verdict } from "./verdict.ts";

/** A requirement for a cluster. Its page in the documentation is made from these fields. */
export interface Check<Input extends ClusterInput = CheckInput> {
  /** `ADDON.NAME`, both in kebab case: `argocd.application-namespaces`. Never changes once released. */
  readonly id: string;
  /** States the requirement that holds when it passes, as a sentence without a full stop. */
  readonly title: string;
  /** Why it matters, in Markdown, for its page. */
  readonly why: string;
  /**
   * A `required` check that fails makes its addon misconfigured and the cluster unfit, and blocks features. An `optional` one
   * blocks features alone. A `recommended` one degrades them.
   */
  readonly severity: "required" | "optional" | "recommended";
  readonly features: readonly FeatureId[];
  /** Left out where the question makes no sense: for another cluster type, or a part that isn't used. */
  readonly appliesTo?: (input: Input) => boolean;
  readonly judge: (input: Input) => Verdict;
}

/** A check of the cluster as a whole, which belongs to no addon: it can be used wherever a check is expected. */
export type ClusterCheck = Check<ClusterInput>;

export interface ClusterInput {
  readonly snapshot: Snapshot;
  readonly profile: Profile;
  readonly clusterType: ClusterType;
  readonly now: Date;
  /** Which gateway people chose where several serve the same host; none when left out. */
  readonly gatewayPreferences?: readonly GatewayPreference[];
}

export interface CheckInput extends ClusterInput {
  /** The findings on the addon that the check belongs to. */
  readonly installation: Installation;
}

/** A check that meets something hidden, or stumbles over an object, is unknown. It never passes, and never ends the others. */
export function judgeCheck<Input extends ClusterInput>(check: Check<Input>, input: Input): Verdict | undefined {
  try {
    if (check.appliesTo && !check.appliesTo(input)) return undefined;
    return check.judge(input);
  } catch (thrown) {
    if (doctorErrors.is(thrown, "DOCTOR_HIDDEN")) return unknown(thrown.message);
    if (doctorErrors.is(thrown, "DOCTOR_NOT_RUNNING")) return notRunning(thrown.message);
    return unknown(`The check ended with an error, which is a fault of ours: ${reasonOf(thrown)}`);
  }
}

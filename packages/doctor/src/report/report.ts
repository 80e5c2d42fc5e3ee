import type { Need } from "../catalogue/index.ts";
import type { Check, Verdict } from "../checks/index.ts";
import type { TypeFinding } from "../cluster-type/index.ts";
import type { Installation } from "../detect/index.ts";
import type { FeatureReport } from "../features/index.ts";
import type { Domain, Gateway } from "../gateways/index.ts";
import type { GpuStock, NodePool } from "../pools/index.ts";
import type { StorageClass } from "../storage/index.ts";

/** Everything that is said of one cluster at one moment. Lists are ordered by id or name, whatever the order of objects. */
export interface Report {
  readonly profile: string;
  readonly clusterType: TypeFinding;
  readonly addons: readonly AddonReport[];
  /** Checks of the cluster as a whole: gateways, pools, storage classes. */
  readonly checks: readonly CheckReport[];
  readonly features: readonly FeatureReport[];
  readonly gateways: readonly Gateway[];
  readonly domains: readonly Domain[];
  readonly nodePools: readonly NodePool[];
  readonly gpus: readonly GpuStock[];
  readonly storageClasses: readonly StorageClass[];
  /** Resources that could not be read whole, each with the reason. */
  readonly hidden: readonly { readonly resource: string; readonly why: string }[];
}

/** Misconfigured: it runs, and a required check fails. Unknown: a required check could not be judged. */
export type AddonState =
  | "absent"
  | "crds-only"
  | "healthy"
  | "degraded"
  | "misconfigured"
  | "provider-managed"
  | "unknown";

export interface AddonReport {
  readonly id: string;
  readonly title: string;
  readonly need: Need | "unsupported";
  readonly state: AddonState;
  /** Why it has this state, as a sentence. */
  readonly message: string;
  /** Its workloads are planned: the state is unknown until they run. */
  readonly isNotRunning?: true;
  readonly installation: Installation;
  readonly checks: readonly CheckReport[];
}

export interface CheckReport {
  readonly check: Check;
  readonly verdict: Verdict;
}

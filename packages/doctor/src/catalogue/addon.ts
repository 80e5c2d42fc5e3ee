import type { Check } from "../checks/index.ts";
import type { ClusterType } from "../cluster-type/index.ts";
import type { Signals } from "../detect/index.ts";
import type { FeatureId } from "../features/index.ts";
import type { Profile } from "../profiles/index.ts";

/** Describes an addon as data: how it is recognised, what is asked of it, what it is good for, how it is installed. */
export interface Addon {
  /** In kebab case, and the name of its file: `argocd`. */
  readonly id: string;
  readonly title: string;
  /** Left out: `unsupported`. */
  readonly need: Readonly<Partial<Record<ClusterType, Need>>>;
  readonly signals: Signals;
  readonly checks: readonly Check[];
  /** The features that work once it is healthy, and are blocked while it is absent. */
  readonly unlocks: readonly FeatureId[];
  /** Another addon that does the same job, by id: Loki for VictoriaLogs. */
  readonly alternatives?: readonly string[];
  /** Left out where a provider brings it, or people must choose how. */
  readonly install?: ChartInstall;
}

export type Need = "essential" | "optional";

export interface ChartInstall {
  readonly chart: string;
  /** An `https://` index or an `oci://` folder. */
  readonly repository: string;
  /** The version that is tested, and the range that the checks understand. */
  readonly version: string;
  readonly versionRange: string;
  /** The chart is released with the program, and has its version. */
  readonly isVersionOfProgram?: true;
  readonly namespace: string;
  readonly release: string;
  /** Lower ones first, as Argo CD's sync waves. */
  readonly order: number;
  /** Addons that must be healthy before. */
  readonly after: readonly string[];
  /** Helm values that meet its checks. */
  readonly values: (input: { readonly clusterType: ClusterType; readonly profile: Profile }) => unknown;
}

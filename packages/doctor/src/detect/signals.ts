import type { Snapshot } from "../snapshot/index.ts";

/** How an addon is recognised. */
export interface Signals {
  /** Resources that discovery names once its CRDs are there: `applications.argoproj.io`. Never only a group. */
  readonly resources: readonly string[];
  readonly components: readonly ComponentSignal[];
  /** Says who manages it where no workload of its own is in the cluster: EKS Auto Mode, GKE's metrics-server. */
  readonly providerManaged?: (snapshot: Snapshot) => string | undefined;
}

/** A workload is the component when its image and each named label fit; without images, when its labels do. */
export interface ComponentSignal {
  readonly name: string;
  /** An addon without it is degraded, not absent. */
  readonly isEssential: boolean;
  /** The last parts of repositories, any of them: `argoproj/argocd`. */
  readonly images?: readonly string[];
  /** Labels of the workload or of its pods. The key stands for one of the values. */
  readonly labels?: Readonly<Record<string, readonly string[]>>;
  /** Where labels are missing: names, whole or as a pattern. Any of them, or the labels, must fit. */
  readonly names?: readonly (string | RegExp)[];
  /** An operator makes it of these objects, so that rendered files don't hold it. */
  readonly madeBy?: { readonly component: string; readonly resource: string };
  /** The container whose tag is the addon's version, where it isn't the first with one of the images. */
  readonly versionContainer?: string;
}

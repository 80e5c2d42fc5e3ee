import type { ObjectRef } from "../snapshot/index.ts";
import type { Workload } from "../workloads/index.ts";
import type { ChartName } from "./chart-label.ts";

/** The findings on an addon, before anything is judged. */
export interface Installation {
  readonly presence: Presence;
  /** In the order of the addon's components; only those that were found. */
  readonly components: readonly FoundComponent[];
  /** Components that weren't found, and that an operator makes of an object that is there. */
  readonly made?: readonly MadeComponent[];
  readonly version?: string;
  /** By the label that charts write. */
  readonly chart?: ChartName;
  readonly provenance?: Provenance;
  /** The reason why there may be more components and workloads than these; left out when all were seen. */
  readonly unseen?: string;
}

export interface MadeComponent {
  readonly component: string;
  /** The object that asks for it. */
  readonly from: string;
  /** False while the operator or the object is only planned. */
  readonly isRunning: boolean;
}

export type Presence =
  | { readonly is: "installed" }
  /** Its CRDs are there and nothing that serves them. */
  | { readonly is: "crds-only" }
  | { readonly is: "provider-managed"; readonly by: string }
  | { readonly is: "absent" }
  /** Nothing was found, and not everything could be read. */
  | { readonly is: "unknown"; readonly why: string };

export interface FoundComponent {
  readonly name: string;
  readonly workloads: readonly Workload[];
}

/** Says which tool or provider put it there. */
export type Provenance =
  | { readonly is: "argocd"; readonly application: ObjectRef | undefined }
  | { readonly is: "helm"; readonly namespace: string; readonly release: string; readonly chart?: string }
  | { readonly is: "olm"; readonly owner: string }
  | { readonly is: "flux"; readonly helmRelease: string }
  | { readonly is: "flux"; readonly kustomization: string }
  | { readonly is: "provider"; readonly by: string }
  | { readonly is: "manifests" };

/** The workloads of one component, such as `server`. */
export function workloadsOf({ components }: Installation, name: string): readonly Workload[] {
  return components.find((component) => component.name === name)?.workloads ?? [];
}

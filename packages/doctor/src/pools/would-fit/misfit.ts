import type { Toleration } from "../taints.ts";

/** The demands of a pod beside resources. */
export interface FitConstraints {
  /** Left out: any. */
  readonly architectures?: readonly string[];
  readonly capacityTypes?: readonly string[];
  readonly gpuProduct?: string;
  readonly nodeSelector?: Readonly<Record<string, string>>;
  readonly tolerations?: readonly Toleration[];
}

export interface Misfit {
  readonly is:
    | "taint"
    | "architecture"
    | "capacity-type"
    | "label"
    | "gpu-type"
    | "no-such-resource"
    | "node-size"
    | "limit"
    | "full"
    | "trouble";
  readonly message: string;
}

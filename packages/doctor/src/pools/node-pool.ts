import type { ObjectRef } from "../snapshot/index.ts";
import type { Amounts } from "./amounts.ts";
import type { PoolNode, Running } from "./node.ts";
import type { PoolSource } from "./node-owner.ts";
import type { Requirement, Trait } from "./requirements.ts";
import type { Taint } from "./taints.ts";

/** Nodes that are alike, and that more of can often be had. */
export interface NodePool {
  readonly name: string;
  readonly source: PoolSource;
  /** Karpenter's NodePool. */
  readonly object?: ObjectRef;
  readonly purpose: Purpose;
  readonly architectures: Trait;
  readonly capacityTypes: Trait;
  readonly operatingSystems: Trait;
  readonly labels: Readonly<Record<string, string>>;
  readonly taints: readonly Taint[];
  /** The demands of Karpenter's NodePool on new nodes. */
  readonly requirements: readonly Requirement[];
  readonly nodes: readonly PoolNode[];
  readonly growth: Growth;
  /** The room on all its nodes, the requests of their pods, and how many pods of each namespace run there. */
  readonly allocatable: Amounts;
  readonly requested: Amounts | undefined;
  readonly runs: readonly Running[];
  /** Karpenter says that it can't make nodes, and why. */
  readonly trouble?: string;
}

/** `other`: taints keep away all pods that weren't made for it. */
export type Purpose = "critical" | "default" | "gpu" | "other";

export type Growth =
  /** Karpenter makes nodes until the sum of their resources reaches a limit. */
  | { readonly is: "limits"; readonly limits: Amounts; readonly used: Amounts }
  /** Cluster-autoscaler adds nodes up to a number. */
  | { readonly is: "nodes"; readonly min: number; readonly max: number; readonly current: number }
  /** Nothing in the cluster says that it can grow. */
  | { readonly is: "unknown" };

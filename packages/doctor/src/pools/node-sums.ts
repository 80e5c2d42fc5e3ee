import { addAmounts } from "./amounts.ts";
import { type PoolNode, sumRunning } from "./node.ts";
import type { NodePool } from "./node-pool.ts";

/** Sums up the room on nodes, and the pods that run there. */
export function sumNodes(nodes: readonly PoolNode[]): Pick<NodePool, "allocatable" | "requested" | "runs"> {
  const requested = nodes.map((node) => node.requested).filter((amounts) => amounts !== undefined);
  return {
    allocatable: addAmounts(nodes.map(({ allocatable }) => allocatable)),
    requested: requested.length === nodes.length ? addAmounts(requested) : undefined,
    runs: sumRunning(nodes.flatMap(({ runs }) => runs)),
  };
}

import { addAmounts } from "./amounts.ts";
import { type PoolNode, sumRunning } from "./node.ts";
import type { NodePool } from "./node-pool.ts";

/** What nodes have together, and what runs on them. */
export function sumNodes(nodes: readonly PoolNode[]): Pick<NodePool, "allocatable" | "requested" | "runs"> {
  const requested = nodes.map((node) => node.requested).filter((amounts) => amounts !== undefined);
  return {
    allocatable: addAmounts(nodes.map(({ allocatable }) => allocatable)),
    requested: requested.length === nodes.length ? addAmounts(requested) : undefined,
    runs: sumRunning(nodes.flatMap(({ runs }) => runs)),
  };
}

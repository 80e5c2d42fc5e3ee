import type { ClusterCheck } from "../../checks/index.ts";
import { criticalPool, defaultPool, gpuPool } from "./demanded-pools.ts";
import { poolsHaveRoom, poolsReady } from "./karpenter-state.ts";

/** In the order of their ids. */
export const poolChecks: readonly ClusterCheck[] = [criticalPool, defaultPool, gpuPool, poolsHaveRoom, poolsReady];

import type { Addon } from "../catalogue/index.ts";
import { argocd } from "./argocd/index.ts";
import { metricsServer } from "./metrics-server.ts";

/** Every addon that is looked for, by id. */
export const catalogue: readonly Addon[] = [argocd, metricsServer];

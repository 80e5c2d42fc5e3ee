import type { CommandRunner } from "../types.ts";
import { planTofu } from "./plan.ts";
import { runTofu } from "./run.ts";
import { parseTofuSpec } from "./spec.ts";
import type { TofuSpec } from "./types.ts";

/** Makes what a configuration of OpenTofu describes, with its state in the cluster. */
export const tofuRunner: CommandRunner<TofuSpec> = { parse: parseTofuSpec, plan: planTofu, run: runTofu };

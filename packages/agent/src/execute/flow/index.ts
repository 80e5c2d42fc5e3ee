import type { CommandRunner } from "../types.ts";
import { planFlow } from "./plan.ts";
import { runFlow } from "./run.ts";
import { parseFlowSpec } from "./spec.ts";
import type { FlowSpec, RunnerOf } from "./types.ts";
import { waitRunner } from "./wait/index.ts";

/** Steps of other kinds, one after another. */
export function createFlowRunner(runnerOf: RunnerOf): CommandRunner<FlowSpec> {
  return {
    parse: (spec) => parseFlowSpec(spec, (kind) => (kind === "wait" ? waitRunner : runnerOf(kind))),
    plan: planFlow,
    run: runFlow,
  };
}

import type { CommandRunner } from "../types.ts";
import { planTofu } from "./plan.ts";
import { openProviders, type ProviderSettings } from "./providers.ts";
import { runTofu } from "./run.ts";
import { parseTofuSpec } from "./spec.ts";
import type { TofuSpec } from "./types.ts";

export type { ProviderSettings } from "./providers.ts";

/** Makes what a configuration of OpenTofu describes, with its state in the cluster. */
export function createTofuRunner(settings: ProviderSettings = {}): CommandRunner<TofuSpec> {
  const providers = openProviders(settings);
  return {
    parse: parseTofuSpec,
    plan: (task) => planTofu(task, providers),
    run: (task) => runTofu(task, providers),
  };
}

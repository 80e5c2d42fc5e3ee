import type { CommandRunner } from "../types.ts";
import { planManifests } from "./plan.ts";
import { runManifests } from "./run.ts";
import { parseManifestsSpec } from "./spec.ts";
import type { ManifestsSpec } from "./types.ts";

/** Applies a set of objects, waits until they are ready, and prunes what the set had before. */
export const manifestsRunner: CommandRunner<ManifestsSpec> = {
  parse: parseManifestsSpec,
  plan: planManifests,
  run: runManifests,
};

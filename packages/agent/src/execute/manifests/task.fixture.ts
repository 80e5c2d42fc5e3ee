import type { FairleadError } from "@fairlead/kernel";
import { createTestTask, type TestTask, type TestTaskOptions } from "../task.fixture.ts";
import type { RunResult } from "../types.ts";
import { parseManifestsSpec } from "./spec.ts";
import type { ManifestsSpec, Outcome } from "./types.ts";

export type ManifestsTask = TestTask<ManifestsSpec>;

export function createManifestsTask(
  options: Omit<TestTaskOptions<ManifestsSpec>, "spec"> & { readonly spec: Readonly<Record<string, unknown>> },
): ManifestsTask {
  return createTestTask({ secrets: {}, ...options, spec: parseManifestsSpec(options.spec) });
}

export interface Told {
  readonly objects: readonly Outcome[];
  readonly failure: FairleadError | undefined;
  /** `ConfigMap a: created` … */
  readonly deeds: readonly string[];
}

export function tellResult({ json, failure }: RunResult): Told {
  const { objects } = json as { readonly objects: readonly Outcome[] };
  return { objects, failure, deeds: objects.map(({ kind, name, did }) => `${kind} ${name}: ${did}`) };
}

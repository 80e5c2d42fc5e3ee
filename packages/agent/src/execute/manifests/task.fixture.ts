// A task as the agent gives it to a kind, with its record in memory.
import { type FairleadError, systemClock } from "@fairlead/kernel";
import type { KubeClient } from "@fairlead/kube";
import { executeErrors } from "../errors.ts";
import type { RunResult, Task } from "../types.ts";
import { parseManifestsSpec } from "./spec.ts";
import type { ManifestsSpec, Outcome } from "./types.ts";

export interface TestTask extends Task<ManifestsSpec> {
  readonly lines: string[];
  /** What the record holds, as JSON. */
  readonly record: { json: string | undefined };
  /** From now on the lease is lost: nothing may be done any more. */
  lose(): void;
  cancel(): void;
}

export interface TaskOptions {
  readonly kube: KubeClient;
  readonly spec: Readonly<Record<string, unknown>>;
  /** Of the run that died. */
  readonly record?: string | undefined;
  readonly secrets?: Readonly<Record<string, string>>;
  /** Before each effect; may call `lose`. */
  readonly beforeEffect?: (task: TestTask) => void;
}

export function createTask(options: TaskOptions): TestTask {
  const { kube, spec, secrets = {}, beforeEffect } = options;
  const graceful = new AbortController();
  const forced = new AbortController();
  const record: TestTask["record"] = { json: options.record };
  const lines: string[] = [];
  const task: TestTask = {
    ...{ id: "cmd_test", requester: "test", kube, record, lines, clock: systemClock },
    spec: parseManifestsSpec(spec),
    log: { line: (text) => void lines.push(text) },
    state: {
      read: () => (record.json === undefined ? undefined : JSON.parse(record.json)),
      async write(state) {
        forced.signal.throwIfAborted();
        record.json = JSON.stringify(state);
      },
    },
    secrets: {
      resolve: async (text) => text.replace(/\$\{secret:([^}]+)\}/g, (_, name: string) => secrets[name] ?? "?"),
      conceal: () => undefined,
    },
    signal: graceful.signal,
    forced: forced.signal,
    mayAct(how = {}) {
      beforeEffect?.(task);
      forced.signal.throwIfAborted();
      if (!how.repair) graceful.signal.throwIfAborted();
    },
    lose() {
      const reason = executeErrors.COMMAND_LEASE_LOST();
      graceful.abort(reason);
      forced.abort(reason);
    },
    cancel: () => graceful.abort(executeErrors.COMMAND_CANCELLED()),
  };
  return task;
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

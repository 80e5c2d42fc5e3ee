import type { FairleadError } from "@fairlead/kernel";
import type { RunResult } from "../types.ts";
import { manifestsErrors } from "./errors.ts";
import { fitResult } from "./fit-result.ts";
import { describeName, keyOf, onlyName } from "./object-name.ts";
import type { Problem } from "./prepare/target.ts";
import type { Readiness } from "./readiness/readiness.ts";
import type { Manifest, ObjectName, Outcome } from "./types.ts";

/** The outcome of each object, in the order of the manifests. */
export class Report {
  readonly outcomes: Map<string, Outcome> = new Map();
  readonly #order: readonly ObjectName[];
  #unready: readonly string[] = [];

  constructor(order: readonly ObjectName[]) {
    this.#order = order;
  }

  set(key: string, outcome: Outcome): void {
    this.outcomes.set(key, outcome);
  }

  /** Whether its kind has namespaces isn't known of a manifest that couldn't be prepared. */
  fail(outcome: Outcome, namespace: string): void {
    const known = new Set(this.#order.map(keyOf));
    const key = keyOf(outcome);
    this.set(known.has(key) ? key : keyOf({ namespace, ...outcome }), outcome);
  }

  get failedCount(): number {
    return [...this.outcomes.values()].filter(({ did }) => did === "failed").length;
  }

  hasFailed(which: (name: ObjectName) => boolean): boolean {
    return [...this.outcomes.values()].some((outcome) => outcome.did === "failed" && which(outcome));
  }

  get isReady(): boolean {
    return this.#unready.length === 0;
  }

  /** They keep what was done to them. */
  setUnready(unready: ReadonlyMap<string, Readiness>): void {
    for (const [key, { message: detail }] of unready) {
      const outcome = this.outcomes.get(key);
      if (!outcome) continue;
      const { code, message } = manifestsErrors.MANIFESTS_NOT_READY({ detail });
      this.outcomes.set(key, { ...outcome, code, message });
      this.#unready = [...this.#unready, `${describeName(outcome)}: ${detail}`];
    }
  }

  result(interruption?: FairleadError): RunResult {
    const objects = this.#order.map((name) => this.outcomes.get(keyOf(name)) ?? notBegun(name));
    return { json: fitResult(objects), failure: interruption ?? this.#failure(objects.length) };
  }

  #failure(total: number): FairleadError | undefined {
    const count = this.failedCount;
    if (count > 0) return manifestsErrors.MANIFESTS_FAILED({ count, total });
    const [first] = this.#unready;
    if (first === undefined) return undefined;
    const others = this.#unready.length - 1;
    return manifestsErrors.MANIFESTS_NOT_READY({
      detail: others === 0 ? first : `${first}; ${others} more aren't ready`,
    });
  }
}

/** Nothing was changed, because some can't be applied. */
export function refusal(manifests: readonly Manifest[], problems: readonly Problem[]): RunResult {
  const broken = new Map(problems.map(({ manifest, outcome }) => [manifest, outcome]));
  const objects = manifests.map(
    (manifest): Outcome => broken.get(manifest) ?? { ...writtenName(manifest), did: "pending" },
  );
  return {
    json: fitResult(objects),
    failure: manifestsErrors.MANIFESTS_REFUSED({ count: broken.size, total: objects.length }),
  };
}

function writtenName({ object: { apiVersion, kind, metadata } }: Manifest): ObjectName {
  return onlyName({ apiVersion, kind, namespace: metadata.namespace, name: metadata.name });
}

function notBegun(name: ObjectName): Outcome {
  const { code, message } = manifestsErrors.MANIFESTS_NOT_BEGUN();
  return { ...onlyName(name), did: "pending", code, message };
}

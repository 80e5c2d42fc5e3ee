// Objects of a kind that the set brings can only be applied when the cluster serves the kind.
import { sleep } from "@fairlead/kernel";
import { getObject } from "@fairlead/kube";
import type { Task } from "../../types.ts";
import { read } from "../attempt.ts";
import { manifestsErrors } from "../errors.ts";
import type { KindCatalogue } from "../kinds/catalogue.ts";
import { definedKinds } from "../kinds/defined-kinds.ts";
import { describeName } from "../object-name.ts";
import type { Target } from "../prepare/target.ts";
import { judgeReadiness } from "../readiness/judge.ts";
import type { ManifestsSpec } from "../types.ts";

/** Resolves when the definition is established and its kinds are found; throws MANIFESTS_NOT_READY when it won't be. */
export async function untilEstablished(options: {
  readonly task: Task<ManifestsSpec>;
  readonly catalogue: KindCatalogue;
  readonly definition: Target;
}): Promise<void> {
  const { task, catalogue, definition } = options;
  const { kube: client, clock, spec } = task;
  const { resource, name } = definition;
  const deadlineMs = clock.steadyMs() + Math.min(spec.waitTimeoutSeconds ?? mostSeconds, mostSeconds) * 1000;
  for (;;) {
    const found = await read(task, (signal) => getObject({ client, resource, ...name, signal }));
    const readiness = found ? judgeReadiness(found) : { type: "failed" as const, message: "it is gone" };
    if (readiness.type === "failed") throw notReady(readiness.message);
    if (readiness.type === "ready" && (await areServed(catalogue, definition))) return;
    if (clock.steadyMs() > deadlineMs) throw notReady(readiness.message);
    await sleep(pollMs, { clock, signal: task.signal });
  }

  function notReady(message: string): Error {
    return manifestsErrors.MANIFESTS_NOT_READY({ detail: `${describeName(name)}: ${message}` });
  }
}

async function areServed(catalogue: KindCatalogue, { manifest }: Target): Promise<boolean> {
  for (const { group, version, kind } of definedKinds([manifest]).values()) {
    catalogue.forget(`${group}/${version}`);
    if (!(await catalogue.find(`${group}/${version}`, kind))) return false;
  }
  return true;
}

const mostSeconds = 60;
const pollMs = 100;

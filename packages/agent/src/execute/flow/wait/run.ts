// Waits until objects are as they should be: a watch says when to look, and a timer where the watch says nothing.
import { sleep } from "@fairlead/kernel";
import type { ApiResource, KubeObject } from "@fairlead/kube";
import type { RunResult, Task } from "../../types.ts";
import { createWakeUp } from "../../wake-up.ts";
import { flowErrors } from "../errors.ts";
import { timeLeftMs } from "../time-left.ts";
import { valueAt } from "../values/field-path.ts";
import { findLack } from "./judge.ts";
import { findKind, findObjects } from "./look.ts";
import type { WaitSpec } from "./types.ts";
import { type Hints, watchForHints } from "./watch.ts";

export async function runWait(task: Task<WaitSpec>): Promise<RunResult> {
  const { clock, spec, signal, log } = task;
  const untilMs = clock.steadyMs() + (await rememberTime(task));
  const wakeUp = createWakeUp({ clock });
  const stop = new AbortController();
  using _stopping = { [Symbol.dispose]: () => stop.abort() };
  const watching = AbortSignal.any([signal, stop.signal]);
  let hints: Hints | undefined;
  let told: string | undefined;
  for (;;) {
    const seen = await look(task);
    if (seen.lack === undefined) return { json: resultOf(spec, seen) };
    if (seen.lack !== told) log.line(`${describe(spec)}: ${seen.lack}`);
    told = seen.lack;
    const leftMs = untilMs - clock.steadyMs();
    if (leftMs <= 0) return { json: resultOf(spec, seen), failure: timeout(spec, seen.lack) };
    if (seen.resource)
      hints ??= watchForHints({ task, resource: seen.resource, onHint: wakeUp.soon, signal: watching });
    await wakeUp.wait(Math.min(leftMs, hints === undefined || hints.isBlind ? blindMs : lookMs), signal);
    // However often something changes.
    await sleep(restMs, { clock, signal });
  }
}

export interface Seen {
  readonly resource: ApiResource | undefined;
  readonly objects: readonly KubeObject[];
  /** Undefined when all is as awaited. */
  readonly lack: string | undefined;
}

export async function look(task: Task<WaitSpec>): Promise<Seen> {
  const { spec } = task;
  const { until } = spec;
  const resource = await findKind(task);
  const isDeletion = until.is === "deleted";
  if (resource === undefined)
    return {
      resource,
      objects: [],
      lack: isDeletion ? undefined : `this cluster has no ${spec.kind} of ${spec.apiVersion}`,
    };
  const objects = await findObjects(task, resource);
  if (objects.length === 0) return { resource, objects, lack: isDeletion ? undefined : "there is none yet" };
  for (const object of objects) {
    const lack = findLack(object, until);
    if (lack !== undefined) return { resource, objects, lack: spec.name ? lack : `${object.metadata.name}: ${lack}` };
  }
  return { resource, objects, lack: undefined };
}

export function describe({ kind, namespace, name, selector }: WaitSpec): string {
  return `${kind} ${namespace}/${name ?? `(${selector})`}`;
}

/** Says how much time is left: a run that goes on doesn't wait for longer than the first one would have. */
async function rememberTime({ state, clock, spec: { timeoutMs } }: Task<WaitSpec>): Promise<number> {
  const { beganAtMs } = (state.read() ?? {}) as { readonly beganAtMs?: number };
  if (beganAtMs !== undefined) return timeLeftMs({ clock, beganAtMs, timeoutMs });
  await state.write({ beganAtMs: clock.now() });
  return timeoutMs;
}

function resultOf({ apiVersion, kind, name, outputs }: WaitSpec, { objects, lack }: Seen): object {
  const valuesOf = (object: KubeObject, path: WaitSpec["outputs"][number]["path"]): unknown =>
    valueAt(object, path) ?? null;
  const [first] = objects;
  const values = outputs.map(({ name: output, path }) => [
    output,
    name === undefined ? objects.map((object) => valuesOf(object, path)) : first && valuesOf(first, path),
  ]);
  return {
    objects: objects.map(({ metadata }) => ({
      apiVersion,
      kind,
      name: metadata.name,
      ...(metadata.namespace !== undefined && { namespace: metadata.namespace }),
    })),
    ...(lack !== undefined && { lack }),
    ...(lack === undefined && outputs.length > 0 && { outputs: Object.fromEntries(values) }),
  };
}

function timeout(spec: WaitSpec, detail: string) {
  return flowErrors.FLOW_WAIT_TIMEOUT({ what: describe(spec), seconds: spec.timeoutMs / 1_000, detail });
}

const lookMs = 10_000;
const blindMs = 2_000;
const restMs = 200;

// Waits until applied objects are ready: watches tell at once, and all that is still awaited is read again on a timer,
// since a watch may be dead or not allowed.
import { orAbort, sleep } from "@fairlead/kernel";
import { getObject, type KubeObject } from "@fairlead/kube";
import type { Task } from "../../types.ts";
import { read } from "../attempt.ts";
import { inParallel, parallelRequests } from "../in-parallel.ts";
import { describeName } from "../object-name.ts";
import type { Target } from "../prepare/target.ts";
import type { ManifestsSpec } from "../types.ts";
import { Awaited, type AwaitedObject } from "./awaited.ts";
import { explainUnready } from "./explain-unready.ts";
import type { Readiness } from "./readiness.ts";
import { watchObjects } from "./watch-objects.ts";

export interface AppliedObject {
  readonly target: Target;
  readonly object: KubeObject;
}

/** Returns what isn't ready when the time is over, or when all that isn't ready has failed; empty when all is ready. */
export async function untilReady(options: {
  readonly task: Task<ManifestsSpec>;
  readonly applied: readonly AppliedObject[];
  readonly deadlineMs: number;
}): Promise<ReadonlyMap<string, Readiness>> {
  const { task, applied, deadlineMs } = options;
  const { clock, signal } = task;
  const awaited = new Awaited(applied, clock);
  if (awaited.isOver) return awaited.left();
  const stop = new AbortController();
  using _stopping = { [Symbol.dispose]: () => stop.abort() };
  const watching = AbortSignal.any([signal, stop.signal]);
  const watched = watchObjects({ task, awaited, signal: watching });
  let readAtMs = clock.steadyMs();
  let toldAtMs = clock.steadyMs();
  let hasTold = false;
  while (!awaited.isOver && clock.steadyMs() < deadlineMs) {
    const waitMs = Math.min(tickMs, deadlineMs - clock.steadyMs());
    await orAbort(Promise.race([awaited.untilEmpty(), sleep(waitMs, { clock, signal: watching })]), signal);
    if (clock.steadyMs() - readAtMs >= (watched.isBlind ? blindReadMs : readMs)) {
      await readAgain(task, awaited);
      readAtMs = clock.steadyMs();
    }
    if (clock.steadyMs() - toldAtMs >= tellMs) {
      tell(task, awaited);
      hasTold = true;
      toldAtMs = clock.steadyMs();
    }
  }
  // Objects may have become ready unseen.
  if (!awaited.isOver) await readAgain(task, awaited);
  const left = awaited.left();
  if (hasTold && left.size === 0) task.log.line("all objects are ready");
  return await explainLeft(task, applied, left);
}

/** A few of them: each is asked about by itself. */
async function explainLeft(
  task: Task<ManifestsSpec>,
  applied: readonly AppliedObject[],
  left: ReadonlyMap<string, Readiness>,
): Promise<ReadonlyMap<string, Readiness>> {
  const explained = new Map(left);
  const asked = applied.filter(({ target }) => left.has(target.key)).slice(0, maxExplained);
  await inParallel(asked, parallelRequests, async ({ target: { key }, object }) => {
    const why = await explainUnready(task, object);
    const readiness = left.get(key);
    if (why && readiness) explained.set(key, { ...readiness, message: `${readiness.message}: ${why}` });
  });
  return explained;
}

async function readAgain(task: Task<ManifestsSpec>, awaited: Awaited): Promise<void> {
  const { kube: client } = task;
  await inParallel(awaited.objects(), parallelRequests, async ({ target, resourceVersion }: AwaitedObject) => {
    const { resource, name } = target;
    const found = await read(task, (signal) => getObject({ client, resource, ...name, signal }));
    awaited.know(target.key, found, { resourceVersion });
  });
}

function tell({ log }: Task<ManifestsSpec>, awaited: Awaited): void {
  const objects = awaited.objects();
  log.line(`${objects.length} objects aren't ready yet:`);
  for (const { target, readiness } of objects.slice(0, maxTold))
    log.line(`  ${describeName(target.name)}: ${readiness.message}`);
  if (objects.length > maxTold) log.line(`  and ${objects.length - maxTold} more`);
}

const tickMs = 1_000;
const readMs = 15_000;
const blindReadMs = 2_000;
const tellMs = 10_000;
const maxTold = 5;
const maxExplained = 5;

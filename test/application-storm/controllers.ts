// Plays Argo CD's controller in a cluster: it takes operations and runs them, prunes what is deleted with its objects, and
// writes statuses. It watches the copies and sees whether marks ever go back. Its API server may go away meanwhile.
import { setTimeout as delay } from "node:timers/promises";
import { streamLines } from "../fleet/stream-lines.ts";
import {
  type Ground,
  type Harness,
  listAll,
  numberOf,
  pathOf,
  resourcesFinalizer,
  type StormApplication,
} from "./harness.ts";

export interface Controller {
  /** How often each sync was run, by its number. */
  readonly runs: ReadonlyMap<string, number>;
  /** Names of copies that were there. */
  readonly seen: ReadonlySet<string>;
  /** Names of applications whose objects were pruned. */
  readonly pruned: ReadonlySet<string>;
  /** Marks may go back, and copies go, while the cluster is put back. */
  whileGoingBack(restore: () => Promise<void>): Promise<void>;
  /** Resolves when the watch has ended, after the signal. */
  readonly finished: Promise<void>;
}

const mergePatch = "application/merge-patch+json";

export function startController(harness: Harness, ground: Ground, signal: AbortSignal): Controller {
  const { clusterSide } = ground;
  const { api } = clusterSide.cluster;
  const runs = new Map<string, number>();
  /** By uid: a copy that is made anew begins anew. */
  const marks = new Map<string, number>();
  const seen = new Set<string>();
  const pruned = new Set<string>();
  let statuses = 0;
  let attempts = 0;
  let watching = new AbortController();
  let ready = Promise.resolve();

  return { runs, seen, pruned, whileGoingBack, finished: Promise.all([watch(), keepWriting()]).then(() => undefined) };

  /** An API server ends the watch of a reader that was too slow for it; the next one begins with all there is. */
  async function watch(): Promise<void> {
    const { url, caPem, adminToken: token } = clusterSide.cluster;
    const server = { port: Number(new URL(url).port), caPem };
    const path = `${pathOf(clusterSide)}?watch=true`;
    const onLine = (line: string): void => see(JSON.parse(line) as { type: string; object: StormApplication });
    while (!signal.aborted) {
      await ready;
      await streamLines({ server, path, token, signal: AbortSignal.any([signal, watching.signal]), onLine });
      await delay(retryMs, undefined, { signal }).catch(() => undefined);
    }
  }

  async function whileGoingBack(restore: () => Promise<void>): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    ready = promise;
    watching.abort();
    await restore();
    marks.clear();
    seen.clear();
    watching = new AbortController();
    resolve();
  }

  function see({ type, object }: { readonly type: string; readonly object: StormApplication }): void {
    if (type === "DELETED" || type === "ERROR") return;
    const { name, uid, deletionTimestamp, finalizers = [] } = object.metadata;
    const mark = Number(object.spec.source.targetRevision);
    if (mark < (marks.get(uid) ?? 0)) harness.breaks(`${name} went back from ${marks.get(uid)} to ${mark}`);
    marks.set(uid, mark);
    seen.add(name);
    if (deletionTimestamp === undefined) {
      if (object.operation !== undefined) void run(object, object.operation);
    } else if (finalizers.includes(resourcesFinalizer)) void prune(object);
  }

  /** The operation goes and its end is told in one write, as Argo CD does. */
  async function run({ metadata: { name, resourceVersion } }: StormApplication, operation: object): Promise<void> {
    const number = numberOf(operation);
    const at = new Date().toISOString().replace(/\.\d+Z$/, "Z");
    const message = `attempt ${++attempts}`;
    const operationState = { operation, phase: "Succeeded", startedAt: at, finishedAt: at, message };
    const body = { metadata: { resourceVersion }, operation: null, status: { operationState } };
    const isRun = (await write(name, body)) ?? (await hasMessage(name, message));
    if (!isRun || number === undefined) return;
    runs.set(number, (runs.get(number) ?? 0) + 1);
    harness.count("syncs run");
  }

  /** After an answer that was lost. */
  async function hasMessage(name: string, message: string): Promise<boolean> {
    while (!signal.aborted) {
      const copies = await listAll(clusterSide).catch(() => undefined);
      const copy = copies?.find(({ metadata }) => metadata.name === name);
      if (copies !== undefined) return copy?.status?.operationState?.message === message;
      await delay(retryMs);
    }
    return false;
  }

  async function prune({ metadata: { name, resourceVersion, finalizers = [] } }: StormApplication): Promise<void> {
    if (!pruned.has(name)) harness.count("pruned");
    pruned.add(name);
    const rest = finalizers.filter((finalizer) => finalizer !== resourcesFinalizer);
    await write(name, { metadata: { resourceVersion, finalizers: rest } });
  }

  async function keepWriting(): Promise<void> {
    while (!harness.over.aborted) {
      const copies = (await listAll(clusterSide).catch(() => undefined)) ?? [];
      for (let turn = 0; turn < statusesEachList && copies.length > 0 && !harness.over.aborted; turn++) {
        const { name } = harness.chance.pick(copies).metadata;
        const status = { sync: { status: "Synced", revision: String(++statuses) } };
        if (await write(name, { status })) harness.count("statuses");
        await delay(statusPauseMs);
      }
      if (copies.length === 0) await delay(retryMs);
    }
  }

  /** False: a copy may be gone meanwhile, or changed. Undefined: nobody knows, since the API server goes or comes. */
  async function write(name: string, body: object): Promise<boolean | undefined> {
    const call = { method: "PATCH", path: pathOf(clusterSide, name), body, contentType: mergePatch };
    const answer = await api.send(call).catch(() => undefined);
    if (answer === undefined || answer.status === 429 || answer.status >= 500) return undefined;
    if (answer.status === 200) return true;
    if (answer.status === 404 || answer.status === 409) return false;
    throw new Error(`a copy's change was answered ${answer.status}: ${answer.text}`);
  }
}

const statusesEachList = 50;
const statusPauseMs = 20;
const retryMs = 200;

// Plays Argo CD's controller in a cluster: it takes operations and runs them, and writes statuses. It watches the copies and
// sees whether marks ever go back.
import { setTimeout as delay } from "node:timers/promises";
import { streamLines } from "../fleet/stream-lines.ts";
import { type Ground, type Harness, listAll, numberOf, pathOf, type StormApplication } from "./harness.ts";

export interface Controller {
  /** How often each sync was run, by its number. */
  readonly runs: ReadonlyMap<string, number>;
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
  let statuses = 0;

  return { runs, finished: Promise.all([watch(), keepWriting()]).then(() => undefined) };

  /** An API server ends the watch of a reader that was too slow for it; the next one begins with all there is. */
  async function watch(): Promise<void> {
    const { url, caPem, adminToken: token } = clusterSide.cluster;
    const server = { port: Number(new URL(url).port), caPem };
    const path = `${pathOf(clusterSide)}?watch=true`;
    const onLine = (line: string): void => see(JSON.parse(line) as { type: string; object: StormApplication });
    while (!signal.aborted) await streamLines({ server, path, token, signal, onLine });
  }

  function see({ type, object }: { readonly type: string; readonly object: StormApplication }): void {
    const { name, uid } = object.metadata;
    if (type === "DELETED" || type === "ERROR") return;
    const mark = Number(object.spec.source.targetRevision);
    if (mark < (marks.get(uid) ?? 0)) harness.breaks(`${name} went back from ${marks.get(uid)} to ${mark}`);
    marks.set(uid, mark);
    if (object.operation !== undefined) void run(object, object.operation);
  }

  /** The operation goes and its end is told in one write, as Argo CD does. */
  async function run({ metadata: { name, resourceVersion } }: StormApplication, operation: object): Promise<void> {
    const number = numberOf(operation);
    const at = new Date().toISOString().replace(/\.\d+Z$/, "Z");
    const operationState = { operation, phase: "Succeeded", startedAt: at, finishedAt: at, message: "" };
    const body = { metadata: { resourceVersion }, operation: null, status: { operationState } };
    const answer = await write(name, body);
    if (answer !== 200 || number === undefined) return;
    runs.set(number, (runs.get(number) ?? 0) + 1);
    harness.count("syncs run");
  }

  async function keepWriting(): Promise<void> {
    while (!harness.over.aborted) {
      const copies = await listAll(clusterSide);
      for (let turn = 0; turn < statusesEachList && copies.length > 0 && !harness.over.aborted; turn++) {
        const { name } = harness.chance.pick(copies).metadata;
        const status = { sync: { status: "Synced", revision: String(++statuses) } };
        if ((await write(name, { status })) === 200) harness.count("statuses");
        await delay(statusPauseMs);
      }
      if (copies.length === 0) await delay(statusPauseMs);
    }
  }

  /** A copy may be gone meanwhile. */
  async function write(name: string, body: object): Promise<number> {
    const answer = await api.send({ method: "PATCH", path: pathOf(clusterSide, name), body, contentType: mergePatch });
    if (![200, 404, 409].includes(answer.status))
      throw new Error(`a status was answered ${answer.status}: ${answer.text}`);
    return answer.status;
  }
}

const statusesEachList = 50;
const statusPauseMs = 20;

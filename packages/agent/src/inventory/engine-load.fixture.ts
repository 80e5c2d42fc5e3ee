// A program for measuring: the engine with a source in memory, over a real link to a hub that keeps uids and versions and
// runs in a process of its own. Settings come as JSON on standard input, figures go to standard output.
import { fork } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { setTimeout as delay, setImmediate as turn } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { systemClock, untilAbort } from "@fairlead/kernel";
import { attachLink, type Link, linkPath, linkSocketOptions, linkSubprotocol, toVersion } from "@fairlead/protocol";
import { WebSocket } from "ws";
import { createCurrentLink } from "../link/index.ts";
import type { ObservedFeed, ObservedObject, ObserveHandler } from "../observe/index.ts";
import { createInventorySync } from "./index.ts";

const settings = JSON.parse(readFileSync(0, "utf8")) as { objects: number; changesPerSecond: number; seconds: number };
const { objects, changesPerSecond, seconds } = settings;
const kindCount = 40;
const pad = "x".repeat(900);

// Only uids are held, in one piece of memory; bodies are made when they are asked for.
const uids = Buffer.alloc(objects * 36);
for (let index = 0; index < objects; index++) uids.write(randomUUID(), index * 36, "latin1");
const revisions = new Uint32Array(objects);
const hub = fork(fileURLToPath(new URL("counting-hub.fixture.ts", import.meta.url)), { execArgv: process.execArgv });
const [port] = (await once(hub, "message")) as [number];
const before = heapBytes();
let handler: ObserveHandler | undefined;
const links = createCurrentLink();
const sync = createInventorySync({
  feed: createFeed(),
  links,
  instanceId: "bench",
  clock: systemClock,
  lead: { untilLeading: () => Promise.resolve({ epoch: 1n, signal: new AbortController().signal }) },
  kubeSystemUid: () => Promise.resolve("bench"),
  log: { debug: () => undefined, info: () => undefined, warn: () => undefined, error: console.error },
});
const stop = new AbortController();
let link = await dial();
const startedAt = performance.now();
void sync.run(stop.signal);
links.set({ link, capabilities: ["inventory"] });
await untilSynced();
const firstSyncSeconds = (performance.now() - startedAt) / 1000;
const memoryBytes = heapBytes() - before;

links.set(undefined);
link.close("cut");
await link.closed;
await delay(50);
link = await dial();
const resyncAt = performance.now();
const { sent, received } = link.stats().bytes;
const moved = sent + received;
links.set({ link, capabilities: ["inventory"] });
await untilSynced();
const resyncSeconds = (performance.now() - resyncAt) / 1000;
const after = link.stats().bytes;
const resyncBytes = after.sent + after.received - moved;

const lags = await changeSteadily();
while (sync.stats().pendingChanges > 0) await delay(10);
hub.send("count");
const [kept] = (await once(hub, "message")) as [number];
const lagP99Ms = lags.sort((one, other) => one - other)[Math.floor(lags.length * 0.99)] ?? 0;
console.log(JSON.stringify({ firstSyncSeconds, resyncSeconds, resyncBytes, lagP99Ms, memoryBytes, kept }));
stop.abort();
link.close("done");
hub.kill();
setTimeout(() => process.exit(0), 100);

/** The age of the oldest change that isn't acknowledged, looked at all the time. */
async function changeSteadily(): Promise<number[]> {
  const found: number[] = [];
  const sampler = setInterval(() => found.push(sync.stats().oldestPendingMs), 10);
  const begin = performance.now();
  let done = 0;
  while (performance.now() - begin < seconds * 1000) {
    const due = Math.floor(((performance.now() - begin) / 1000) * changesPerSecond);
    for (; done < due; done++) {
      const index = Math.floor(Math.random() * objects);
      revisions[index] = (revisions[index] ?? 0) + 1;
      await handler?.onApplied(`kind${index % kindCount}`, objectAt(index));
    }
    await delay(1);
  }
  clearInterval(sampler);
  return found;
}

function createFeed(): ObservedFeed {
  const kinds = Array.from({ length: kindCount }, (_, index) => `kind${index}`);
  return {
    isSynced: () => true,
    fetcher: {
      async *fetch(_key, refs) {
        let count = 0;
        for (const { name } of refs) {
          if (++count % 100 === 0) await turn();
          yield objectAt(Number(name.split("-")[1]));
        }
      },
    },
    async run(told, signal) {
      handler = told;
      for (const key of kinds) {
        const names = { key, resource: key, kind: key, group: "", version: "v1", shortNames: [] };
        told.onKind({ ...names, namespaced: true });
      }
      told.onKindsComplete();
      await Promise.all(kinds.map((key, at) => list(told, key, at)));
      await untilAbort(signal);
    },
  };
}

async function list(told: ObserveHandler, key: string, at: number): Promise<void> {
  told.onListStart(key);
  for (let index = at, count = 1; index < objects; index += kindCount, count++) {
    await told.onObject(key, objectAt(index));
    if (count % 500 === 0) await turn();
  }
  await told.onListed(key);
}

function objectAt(index: number): ObservedObject {
  const uid = uids.toString("latin1", index * 36, index * 36 + 36);
  const namespace = `namespace-${index % 200}`;
  const name = inOnePiece(`object-${String(index).padStart(7, "0")}-with-a-name`);
  const json = Buffer.from(
    `{"metadata":{"uid":"${uid}","name":"${name}","namespace":"${namespace}","resourceVersion":"${revisions[index]}"},"pad":"${pad}"}`,
  );
  return { uid, namespace, name, version: toVersion(json), json };
}

/** As a reader of JSON has it. A template makes pieces that point to each other, and take twice as much. */
function inOnePiece(text: string): string {
  return Buffer.from(text).toString();
}

async function dial(): Promise<Link> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}${linkPath}`, linkSubprotocol, linkSocketOptions);
  await once(socket, "open");
  const accept = (): never => {
    throw new Error("nothing is served here");
  };
  return attachLink({ socket, accept });
}

async function untilSynced(): Promise<void> {
  for (;;) {
    const { kinds, isConnected } = sync.stats();
    if (isConnected && kinds.synced === kindCount) return;
    await delay(5);
  }
}

function heapBytes(): number {
  globalThis.gc?.();
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

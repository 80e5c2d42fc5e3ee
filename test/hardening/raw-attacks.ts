// The attacks of an agent with one cluster's certificate on a hub, run in a thread of its own so that it slows down
// nobody but the hub.

import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";
import { waitUntil } from "@fairlead/kernel/testing";
import type { WebSocket } from "ws";
import { data, flood, frame, open, openRawLink, type RawAgent, settings, types } from "./raw-agent.ts";

export interface AttackOptions extends RawAgent {
  readonly attack: keyof typeof attacks;
}

export interface AttackResult {
  /** Links that the hub let begin. */
  readonly links: number;
  /** Resets of streams, by their code; and how links ended, as `code text`. */
  readonly resets: Readonly<Record<number, number>>;
  readonly ends: Readonly<Record<string, number>>;
}

const sync = "/fairlead.inventory.v1.InventoryService/Sync";
const hello = "/fairlead.link.v1.LinkService/Hello";
const resets: Record<number, number> = {};
const ends: Record<string, number> = {};
const links: WebSocket[] = [];

const attacks = {
  /** As many calls as the hub takes, and no end of any of them. */
  async bodies(agent: RawAgent): Promise<void> {
    await Promise.all(Array.from({ length: 8 }, () => begin(agent)));
    for (const link of links) {
      for (let stream = 1; stream < 8_192; stream += 2) link.send(open(stream, stream % 4 === 1 ? sync : hello));
    }
    await waitUntil(areAllClosed, patient);
  },
  /** As many as are taken for good, each with as much data as it may have. */
  async fewBodies(agent: RawAgent): Promise<void> {
    await Promise.all(Array.from({ length: 8 }, () => begin(agent)));
    for (const link of links) {
      for (let stream = 1; stream < 64; stream += 2) {
        link.send(open(stream, sync));
        link.send(data(stream, 0, Buffer.alloc(16_384 - 5)));
      }
    }
    await waitUntil(() => (resets[overloaded] ?? 0) >= 8 * 32 - 64, patient);
    await delay(holdMs);
  },
  /** Links that are cut as soon as the hub would keep them. */
  async halfOpen(agent: RawAgent): Promise<void> {
    for (let round = 0; round < 20; round++) {
      const before = links.length;
      await Promise.all(Array.from({ length: 10 }, () => begin(agent)));
      for (const link of links.slice(before)) link.terminate();
    }
  },
  pings: (agent: RawAgent) => floodWith(agent, frame(types.ping, 0, Buffer.alloc(8))),
  settings: (agent: RawAgent) => floodWith(agent, settings()),
  windows: (agent: RawAgent) => floodWith(agent, frame(types.window, 1, Buffer.alloc(4))),
  emptyData: (agent: RawAgent) => floodWith(agent, data(1, 0, Buffer.alloc(0))),
  /** Data for a stream that is over: the protocol must ignore it. */
  lateData: (agent: RawAgent) => floodWith(agent, data(1, 0, Buffer.alloc(1)), { forMs: holdMs, isLate: true }),
};

async function begin(agent: RawAgent): Promise<WebSocket | undefined> {
  const link = await openRawLink(agent);
  if (link === undefined) {
    ends["not let in"] = (ends["not let in"] ?? 0) + 1;
    return undefined;
  }
  link.on("message", (message: Buffer) => {
    if (message[0] !== types.reset) return;
    const code = message.readUInt16BE(8);
    resets[code] = (resets[code] ?? 0) + 1;
  });
  link.once("close", (code, reason) => {
    const end = `${code} ${reason}`.trim();
    ends[end] = (ends[end] ?? 0) + 1;
  });
  const answered = Promise.race([once(link, "message"), once(link, "close")]);
  link.send(settings());
  await answered;
  if (link.readyState === link.OPEN) links.push(link);
  return link;
}

/** As fast as this machine can, on eight links. */
async function floodWith(
  agent: RawAgent,
  one: Buffer,
  options: { readonly forMs?: number; readonly isLate?: boolean } = {},
): Promise<void> {
  const { forMs = longestMs, isLate = false } = options;
  await Promise.all(Array.from({ length: 8 }, () => begin(agent)));
  for (const link of links) {
    link.send(open(1, sync));
    if (isLate) link.send(frame(types.reset, 1, Buffer.from([0, 1])));
  }
  const many = Array.from({ length: 2_000 }, () => one);
  const untilMs = performance.now() + forMs;
  const pour = (): boolean => {
    for (const link of links) if (isHungry(link)) flood(link, many);
    return areAllClosed() || performance.now() > untilMs;
  };
  await waitUntil(pour, patient);
}

function areAllClosed(): boolean {
  return links.every((link) => link.readyState === link.CLOSED);
}

function isHungry(link: WebSocket): boolean {
  return link.readyState === link.OPEN && link.bufferedAmount < 1_000_000;
}

const holdMs = 2_500;
/** Until a hub has had enough, on a machine that has much else to do. */
const longestMs = 30_000;
const patient = { timeoutMs: longestMs, intervalMs: 1 };
const overloaded = 12;
const options = workerData as AttackOptions;
await attacks[options.attack](options);
const result: AttackResult = { links: links.length, resets, ends };
for (const link of links) link.terminate();
parentPort?.postMessage(result);

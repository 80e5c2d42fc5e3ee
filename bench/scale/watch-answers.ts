// How long people wait for what they ask now and then, each time on a connection of its own.
import { setTimeout as delay } from "node:timers/promises";
import type { TestHub } from "@fairlead/testkit";
import { Agent, request } from "undici";
import { percentile } from "../harness/stats.ts";

export interface Answers {
  readonly what: string;
  readonly count: number;
  readonly p50Ms: number;
  readonly worstMs: number;
}

const everyMs = 250;
const patienceMs = 60_000;

const asked = [
  // The request that `fairlead get pods` makes.
  { what: "fairlead get", method: "GET", path: "/api/v1/objects?kind=pods&limit=100" },
  { what: "a cluster's state", method: "GET", path: "/api/v1/clusters/idle-0" },
  { what: "sign-in", method: "POST", path: "/api/v1/sessions" },
] as const;

export function watchAnswers(hub: TestHub): { stop(): Promise<readonly Answers[]> } {
  const stop = new AbortController();
  const watching = asked.map(async ({ what, method, path }) => {
    const times: number[] = [];
    while (!stop.signal.aborted) {
      const startedAt = performance.now();
      await askOnce({ hub, what, method, path });
      times.push(performance.now() - startedAt);
      await delay(everyMs, undefined, { signal: stop.signal }).catch(() => undefined);
    }
    return { what, count: times.length, p50Ms: percentile(times, 50), worstMs: Math.max(...times) };
  });
  return {
    async stop() {
      stop.abort();
      return await Promise.all(watching);
    },
  };
}

async function askOnce(options: { hub: TestHub; what: string; method: "GET" | "POST"; path: string }): Promise<void> {
  const { hub, what, method, path } = options;
  await using dispatcher = new ClosingAgent({ connect: { ca: hub.caPem, timeout: patienceMs } });
  const { statusCode, body } = await request(hub.url + path, {
    method,
    dispatcher,
    headersTimeout: patienceMs,
    headers: { authorization: `Bearer ${hub.adminToken}` },
  });
  const text = await body.text();
  if (statusCode >= 300) throw new Error(`${what} was answered ${statusCode}: ${text}`);
}

class ClosingAgent extends Agent {
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

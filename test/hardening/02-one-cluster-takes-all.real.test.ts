// Somebody has one cluster's certificate and takes what the hub has for all: another cluster's people notice nothing.
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { waitUntil } from "@fairlead/kernel/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { requestHub } from "../fleet/request-hub.ts";
import { type Fleet, startFleet } from "../fleet/start-fleet.ts";
import { enrollRaw } from "./enroll-raw.ts";
import type { RawAgent } from "./raw-agent.ts";
import type { AttackOptions, AttackResult } from "./raw-attacks.ts";

let fleet: Fleet;
let thief: RawAgent;
const undo = new AsyncDisposableStack();

beforeAll(async () => {
  fleet = undo.use(await startFleet());
  thief = await enrollRaw(fleet.hub, "west", ["proxy", "observe"]);
});
afterAll(() => undo.disposeAsync());

describe("02: an agent that takes all it can", () => {
  it("loses its links over calls without end, while another cluster is served", async () => {
    const { result, slowestMs } = await play("bodies");
    expect(result.links).toBe(8);
    expect(result.resets[overloaded]).toBeGreaterThan(100);
    expect(result.ends).toEqual({ "4400 LINK_FLOODED": 8 });
    expect(slowestMs).toBeLessThan(longestMs);
  });

  it("gets 64 calls and no more memory than its share", async () => {
    const { result, slowestMs, mostGrantedBytes, totalBytes } = await play("fewBodies");
    expect(result.resets[overloaded]).toBeGreaterThanOrEqual(8 * 32 - 64);
    expect(mostGrantedBytes).toBeLessThanOrEqual(totalBytes / 4);
    expect(slowestMs).toBeLessThan(longestMs);
  });

  it.each(["pings", "settings", "windows", "emptyData"] as const)(
    "loses its links over a flood of %s",
    async (attack) => {
      const { result, slowestMs } = await play(attack);
      expect(result.ends).toEqual({ "4400 LINK_FLOODED": 8 });
      expect(slowestMs).toBeLessThan(longestMs);
    },
  );

  it("makes nobody wait with data that means nothing", async () => {
    const { slowestMs } = await play("lateData");
    expect(slowestMs).toBeLessThan(longestMs);
  });

  it("keeps no more than a few links that are cut, and can't begin new ones for ever", async () => {
    const { result, slowestMs } = await play("halfOpen");
    expect(result.ends["4429 LINK_TOO_MANY_LINKS"]).toBeGreaterThan(0);
    expect(await readMetric(/^fairlead_links (\d+)/m)).toBeLessThanOrEqual(33);
    expect(slowestMs).toBeLessThan(longestMs);
  });

  it("has taken nothing for good", async () => {
    const isBack = (): Promise<boolean> => readMetric(grantedMetric).then((bytes) => bytes < 4_000_000);
    expect(await waitUntil(isBack, { timeoutMs: 60_000, intervalMs: 500 })).toBe(true);
  });
});

/** Runs an attack, and asks the other cluster all along. */
async function play(attack: AttackOptions["attack"]): Promise<{
  result: AttackResult;
  slowestMs: number;
  mostGrantedBytes: number;
  totalBytes: number;
}> {
  const options: AttackOptions = { attack, ...thief };
  const execArgv = ["--conditions=@fairlead/source"];
  const worker = new Worker(new URL("./raw-attacks.ts", import.meta.url), { workerData: options, execArgv });
  let result: AttackResult | undefined;
  const ended = once(worker, "message").then(([message]) => {
    result = message as AttackResult;
  });
  let slowestMs = 0;
  let mostGrantedBytes = 0;
  while (result === undefined) {
    const beganAt = performance.now();
    expect((await requestHub(fleet.hub, "/k8s/clusters/east/api")).status).toBe(200);
    slowestMs = Math.max(slowestMs, performance.now() - beganAt);
    mostGrantedBytes = Math.max(mostGrantedBytes, await readMetric(grantedMetric));
    await Promise.race([ended, delay(50)]);
  }
  await worker.terminate();
  return { result, slowestMs, mostGrantedBytes, totalBytes: await readMetric(totalMetric) };
}

async function readMetric(pattern: RegExp): Promise<number> {
  const { text } = await requestHub(fleet.hub, "/metrics");
  return Number(pattern.exec(text)?.[1] ?? Number.NaN);
}

const grantedMetric = /^fairlead_link_budget_bytes\{kind="granted"\} (\d+)/m;
const totalMetric = /^fairlead_link_budget_bytes\{kind="total"\} (\d+)/m;
const overloaded = 12;
/**
 * The limit for a request. It takes milliseconds where nothing else runs; machines that build and test at once take
 * longer.
 */
const longestMs = 5_000;

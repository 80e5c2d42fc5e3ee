// Asks the same question about all clusters again and again.
import type { TestHub } from "@fairlead/testkit";
import { readCpuMs } from "../harness/cpu.ts";
import { type LoadResult, type Route, runLoad } from "../harness/load.ts";

const loadMs = 8_000;
const warmUpMs = 3_000;

export interface FleetAnswers {
  readonly alone: LoadResult;
  /** The hub's CPU time for each answer. */
  readonly cpuMs: number;
  readonly fourAtOnce: LoadResult;
}

/** Pods by their labels, 100 rows. */
export async function askFleet(hub: TestHub): Promise<FleetAnswers> {
  const route: Route = {
    name: "fairlead",
    origin: hub.url,
    pathPrefix: "",
    ca: hub.caPem,
    authorization: `Bearer ${hub.adminToken}`,
  };
  const query = new URLSearchParams({ kind: "pods", labelSelector: "app=app-7,tier in (web,api)", limit: "100" });
  const load = { route, path: `/api/v1/objects?${query}`, durationMs: loadMs, warmUpMs };
  const usedMs = readCpuMs(hub.process.pid);
  const alone = await runLoad({ ...load, concurrency: 1 });
  const cpuMs = (readCpuMs(hub.process.pid) - usedMs) / (alone.requestsPerSecond * ((loadMs + warmUpMs) / 1000));
  return { alone, cpuMs, fourAtOnce: await runLoad({ ...load, concurrency: 4 }) };
}

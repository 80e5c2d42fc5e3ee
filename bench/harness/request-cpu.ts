// The CPU time of each process on the way of a small request, 64 of which are in flight. An API server needs less time
// for a request the more of them it has at once; so the same requests go straight to it as well, once in somebody
// else's name, which it authorises several times, as it does with all that an agent sends.
import type { Processes } from "./cpu.ts";
import { type Route, runLoad } from "./load.ts";
import type { Samples } from "./samples.ts";
import type { Row } from "./table.ts";
import { atMost } from "./targets.ts";

/** A way to an API server, and the processes that work for its requests. */
export interface StaffedRoute {
  readonly route: Route;
  readonly processes: Processes;
}

export async function measureRequestCpu(options: {
  routes: readonly StaffedRoute[];
  path: string;
  samples: Samples;
}): Promise<void> {
  const { routes, path, samples } = options;
  for (const { route, processes } of routes) {
    const staff = { ...processes, client: process.pid };
    const load = { route, path, concurrency: 64, durationMs: 3000, warmUpMs: 1000 };
    const { cpuMsPerRequest } = await runLoad({ ...load, processes: staff });
    for (const [name, ms] of Object.entries(cpuMsPerRequest)) samples.add(metricOf(name), route.name, ms);
  }
}

export function describeRequestCpu({ routes, samples }: { routes: readonly StaffedRoute[]; samples: Samples }): Row[] {
  const row = (process: string, name: string = process) => {
    const ways = routes.filter(({ processes }) => process === client || process in processes);
    const figures = samples.medians(
      metricOf(process),
      ways.map(({ route }) => route.name),
    );
    return { name: `CPU per 1 KiB GET, 64 at a time: ${name}`, unit: "ms", figures };
  };
  const own = (process: string) => {
    const { figures, ...rest } = row(process);
    return { ...rest, figures, targets: [atMost(figures["fairlead"] ?? 0, 0.15, "ms")] };
  };
  const server = row("apiServer", "API server");
  const addedMs = (server.figures["fairlead"] ?? 0) - (server.figures["direct"] ?? 0);
  return [
    own("hub"),
    own("agent"),
    row("proxy"),
    { ...server, targets: [atMost(addedMs, 0.1, "ms over direct")] },
    row(client),
  ];
}

function metricOf(process: string): string {
  return `cpu-${process}`;
}

const client = "client";

// The measurements on each way to the API server, the same on all: small requests alone, many at once, bulk both ways,
// and small requests beside a bulk body and beside a reader who stalls.
import { openStalled, type Route, runBulk, runLoad } from "./load.ts";
import type { Samples } from "./samples.ts";

export const mebibyte = 2 ** 20;

export interface MeasuredPaths {
  readonly smallPath: string;
  readonly bulkPath: string;
}

export async function measureWay(options: { route: Route; paths: MeasuredPaths; samples: Samples }): Promise<void> {
  const { route, paths, samples } = options;
  const { smallPath: path, bulkPath } = paths;
  const add = (metric: string, value: number) => samples.add(metric, route.name, value);
  const sizeBytes = 256 * mebibyte;
  await measureSmall({ route, path, samples });
  const download = { route, path: `${bulkPath}/down?bytes=${sizeBytes}`, direction: "down", sizeBytes } as const;
  add("down", (await runBulk(download)) / 1e6);
  add("up", (await runBulk({ route, path: `${bulkPath}/up`, direction: "up", sizeBytes })) / 1e6);

  const busy = await besideBulk({ route, path, bulkPath, durationMs: 2000 });
  add("busyP50", busy.p50Ms);
  add("busyP99", busy.p99Ms);
  await using _stalled = await openStalled(route, `${bulkPath}/down?bytes=${1024 * mebibyte}`);
  add("stalledP99", (await runLoad({ route, path, concurrency: 1, durationMs: 2000, warmUpMs: 200 })).p99Ms);
}

/** Small requests alone and many at once. */
export async function measureSmall(options: { route: Route; path: string; samples: Samples }): Promise<void> {
  const { route, path, samples } = options;
  const add = (metric: string, value: number) => samples.add(metric, route.name, value);
  const one = await runLoad({ route, path, concurrency: 1, durationMs: 2000, warmUpMs: 300 });
  const many = await runLoad({ route, path, concurrency: 64, durationMs: 3000, warmUpMs: 500 });
  add("p50", one.p50Ms);
  add("p99", one.p99Ms);
  add("rate64", many.requestsPerSecond);
  add("p99at64", many.p99Ms);
}

/** Small requests, one at a time, while downloads of the same client follow each other. */
export async function besideBulk(options: { route: Route; path: string; bulkPath: string; durationMs: number }) {
  const { route, path, bulkPath, durationMs } = options;
  const sizeBytes = 256 * mebibyte;
  const stop = new AbortController();
  const beside = repeatBulk(
    { route, path: `${bulkPath}/down?bytes=${sizeBytes}`, direction: "down", sizeBytes },
    stop.signal,
  );
  const busy = await runLoad({ route, path, concurrency: 1, durationMs, warmUpMs: 500 });
  stop.abort();
  await beside;
  return busy;
}

async function repeatBulk(download: Parameters<typeof runBulk>[0], signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await runBulk({ ...download, signal }).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
  }
}

// A closed loop of requests over kept-alive connections: the same client for every way that is compared.
import { request } from "node:https";
import { Readable } from "node:stream";
import { Pool } from "undici";
import { CpuMeter, type Processes } from "./cpu.ts";
import { percentile } from "./stats.ts";

export interface Route {
  readonly name: string;
  readonly origin: string;
  readonly pathPrefix: string;
  readonly ca: string;
  readonly authorization: string;
  /** Further header lines of small requests, names and values in turn. */
  readonly lines?: readonly string[];
}

export interface LoadResult {
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** CPU time of the named processes, measured after the warm-up. */
  readonly cpuMsPerRequest: Readonly<Record<string, number>>;
}

function openPool(route: Route, connections: number): Pool {
  return new Pool(route.origin, {
    connections,
    pipelining: 1,
    headersTimeout: 120_000,
    bodyTimeout: 120_000,
    // As many connections on each way: an API server would take HTTP/2 and carry all on one.
    allowH2: false,
    connect: { ca: route.ca },
  });
}

/**
 * Runs `concurrency` loops of GETs until the time is over or the signal aborts. A figure made of failed requests would
 * be a lie, so one that fails is an error.
 */
export async function runLoad(options: {
  route: Route;
  path: string;
  concurrency: number;
  durationMs: number;
  warmUpMs?: number;
  processes?: Processes;
  signal?: AbortSignal;
}): Promise<LoadResult> {
  const { route, path, concurrency, durationMs, warmUpMs = 0, processes = {}, signal } = options;
  const pool = openPool(route, concurrency);
  const times: number[] = [];
  let errors = 0;
  const begin = performance.now() + warmUpMs;
  const end = begin + durationMs;
  let meter: CpuMeter | undefined;
  let metered = 0;
  const warmUp = setTimeout(() => {
    meter = new CpuMeter(processes);
  }, warmUpMs);

  await Promise.all(Array.from({ length: concurrency }, loop));
  clearTimeout(warmUp);
  const cpuMsPerRequest = meter?.readPerRequest(metered) ?? {};
  const seconds = (Math.min(performance.now(), end) - begin) / 1000;
  await pool.destroy();
  if (errors > 0) throw new Error(`${route.name}: ${errors} requests failed while measuring`);
  return {
    requestsPerSecond: times.length / seconds,
    p50Ms: percentile(times, 50),
    p99Ms: percentile(times, 99),
    cpuMsPerRequest,
  };

  async function loop(): Promise<void> {
    while (performance.now() < end && !signal?.aborted) {
      const start = performance.now();
      const isGood = await get(pool, route, path);
      const now = performance.now();
      if (meter) metered += 1;
      if (start < begin) continue;
      if (isGood) times.push(now - start);
      else errors += 1;
    }
  }
}

async function get(pool: Pool, route: Route, path: string): Promise<boolean> {
  try {
    const { statusCode, body } = await pool.request({
      method: "GET",
      path: route.pathPrefix + path,
      headers: ["authorization", route.authorization, ...(route.lines ?? [])],
    });
    await body.dump({ limit: 1 << 20 });
    return statusCode === 200;
  } catch {
    return false;
  }
}

/** Moves one body of `sizeBytes` up or down and returns bytes per second. */
export async function runBulk(options: {
  route: Route;
  path: string;
  direction: "up" | "down";
  sizeBytes: number;
  signal?: AbortSignal;
}): Promise<number> {
  const { route, path, direction, sizeBytes, signal } = options;
  const pool = openPool(route, 1);
  const start = performance.now();
  const { statusCode, body } = await pool.request({
    method: direction === "up" ? "POST" : "GET",
    path: route.pathPrefix + path,
    headers: {
      authorization: route.authorization,
      ...(direction === "up" ? { "content-length": String(sizeBytes) } : {}),
    },
    body: direction === "up" ? Readable.from(zeros(sizeBytes), { objectMode: false }) : null,
    ...(signal ? { signal } : {}),
  });
  let received = 0;
  let last = "";
  for await (const chunk of body as AsyncIterable<Buffer>) {
    received += chunk.length;
    if (direction === "up") last = chunk.toString();
  }
  const seconds = (performance.now() - start) / 1000;
  await pool.destroy();
  const arrived = direction === "up" ? Number(last) : received;
  if (statusCode !== 200 || arrived !== sizeBytes) {
    throw new Error(
      `${route.name}: bulk ${direction} ended with status ${statusCode} and ${arrived} of ${sizeBytes} bytes`,
    );
  }
  return sizeBytes / seconds;
}

/** Bytes per second of one download, from its start until it ends or the time is over. */
export async function measureDownload(options: { route: Route; path: string; limitMs: number }): Promise<number> {
  const { route, path, limitMs } = options;
  const pool = openPool(route, 1);
  const start = performance.now();
  const { body } = await pool.request({
    method: "GET",
    path: route.pathPrefix + path,
    headers: { authorization: route.authorization },
  });
  let received = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    received += chunk.length;
    if (performance.now() - start > limitMs) break;
  }
  const seconds = (performance.now() - start) / 1000;
  await pool.destroy();
  return received / seconds;
}

/** A download that nobody reads beyond its head. */
export function openStalled(route: Route, path: string): Promise<AsyncDisposable> {
  const { hostname: host, port } = new URL(route.origin);
  return new Promise((resolve, reject) => {
    const call = request(
      {
        host,
        port,
        ca: route.ca,
        agent: false,
        path: route.pathPrefix + path,
        headers: { authorization: route.authorization },
      },
      (answer) => {
        answer.on("error", () => {});
        answer.pause();
        const closed = new Promise<void>((close) => call.once("close", close));
        const dispose = async () => {
          call.destroy();
          await closed;
        };
        if (answer.statusCode === 200) return resolve({ [Symbol.asyncDispose]: dispose });
        reject(new Error(`${route.name}: a download was answered ${answer.statusCode}`));
      },
    );
    call.on("error", reject);
    call.end();
  });
}

async function* zeros(sizeBytes: number): AsyncGenerator<Buffer> {
  const chunk = Buffer.alloc(64 * 1024);
  for (let left = sizeBytes; left > 0; left -= chunk.length)
    yield left >= chunk.length ? chunk : chunk.subarray(0, left);
}

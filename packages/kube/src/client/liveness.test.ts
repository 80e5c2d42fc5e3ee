import { once } from "node:events";
import { createServer, type RequestListener, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { buildConnector } from "undici";
import { afterEach, expect, test, vi } from "vitest";
import { createLiveness } from "./liveness.ts";
import { createKubePool, type KubePool } from "./pool.ts";

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

const quick = { intervalMs: 30, timeoutMs: 150 };

interface Harness {
  readonly pool: KubePool;
  readonly probes: () => number;
  /** From now on probes get this; undefined: nothing, ever. */
  answerProbes(status: number | undefined): void;
}

/** Watches stay open and silent, but those of a path with `lively`, which tick. */
async function startHarness(): Promise<Harness> {
  let status: number | undefined = 200;
  let probes = 0;
  const listener: RequestListener = (request, response) => {
    if (request.url !== "/prefix/livez/ping") return openWatch(request.url ?? "", response);
    probes++;
    if (status !== undefined) response.writeHead(status).end("x");
  };
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const access = {
    server: new URL(`http://127.0.0.1:${port}/prefix/`),
    insecureSkipTlsVerify: false,
    authorization: () => undefined,
    namespace: "default",
  };
  const pool = createKubePool({ access, liveness: quick });
  cleanups.push(
    () => pool[Symbol.asyncDispose](),
    () => server.closeAllConnections(),
    () => server.close(),
  );
  return {
    pool,
    probes: () => probes,
    answerProbes(next) {
      status = next;
    },
  };
}

function openWatch(url: string, response: ServerResponse): void {
  response.writeHead(200).write("first");
  if (!url.includes("lively")) return;
  const ticks = setInterval(() => response.write("tick"), 20);
  response.once("close", () => clearInterval(ticks));
}

function watch(pool: KubePool, path: string): { readonly begun: Promise<unknown>; readonly state: { ended?: string } } {
  const state: { ended?: string } = {};
  const begun = new Promise<void>((resolve) => {
    pool.dispatch(
      { method: "GET", path: `${path}?watch=true` },
      {
        onRequestStart() {},
        onResponseStart() {},
        onResponseData: () => resolve(),
        onResponseEnd() {
          state.ended = "complete";
        },
        onResponseError(_controller, error) {
          state.ended = error.message;
        },
      },
    );
  });
  return { begun, state };
}

test("silent requests end in an error when the API server answers nothing any more, and lively ones go on", async () => {
  const harness = await startHarness();
  const silent = watch(harness.pool, "/silent");
  const lively = watch(harness.pool, "/lively");
  await Promise.all([silent.begun, lively.begun]);
  await vi.waitFor(() => expect(harness.probes()).toBeGreaterThan(2));
  expect(silent.state.ended).toBeUndefined();
  harness.answerProbes(undefined);
  await vi.waitFor(() => expect(silent.state.ended).toMatch(/doesn't answer any more/), { timeout: 60_000 });
  expect(lively.state.ended).toBeUndefined();
  expect(harness.pool.stats().cutConnections).toBe(1);
  expect(harness.pool.stats().failedProbes).toBeGreaterThanOrEqual(2);
});

test("one probe without an answer cuts nothing, and errors are answers", async () => {
  const harness = await startHarness();
  const silent = watch(harness.pool, "/silent");
  await silent.begun;
  harness.answerProbes(undefined);
  await vi.waitFor(() => expect(harness.pool.stats().failedProbes).toBe(1), { interval: 5, timeout: 60_000 });
  harness.answerProbes(500);
  const before = harness.probes();
  await vi.waitFor(() => expect(harness.probes()).toBeGreaterThan(before + 3), { timeout: 60_000 });
  expect(silent.state.ended).toBeUndefined();
  expect(harness.pool.stats()).toMatchObject({ failedProbes: 1, cutConnections: 0 });
});

test("answers are told of while someone wants to know, and errors of a server are none", async () => {
  const harness = await startHarness();
  let answers = 0;
  const forget = harness.pool.onAnswer(() => answers++);
  await watch(harness.pool, "/silent").begun;
  await vi.waitFor(() => expect(answers).toBeGreaterThan(1), { timeout: 60_000 });
  harness.answerProbes(503);
  await waitForProbes(harness, 2);
  const before = answers;
  await waitForProbes(harness, 3);
  expect(answers).toBe(before);
  forget();
  harness.answerProbes(200);
  await waitForProbes(harness, 3);
  expect(answers).toBe(before);
});

async function waitForProbes(harness: Harness, more: number): Promise<void> {
  const before = harness.probes();
  await vi.waitFor(() => expect(harness.probes()).toBeGreaterThanOrEqual(before + more), { timeout: 60_000 });
}

test("without connections nobody is asked", async () => {
  const harness = await startHarness();
  await new Promise((resolve) => setTimeout(resolve, 5 * quick.intervalMs));
  expect(harness.probes()).toBe(0);
});

test("new connections that don't come about are no reason to wait longer", async () => {
  const server = createServer((_request, response) => response.end("ok")).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  let isSilent = false;
  const connect = buildConnector({});
  const hanging: typeof connect = (wanted, callback) => {
    if (!isSilent) connect(wanted, callback);
  };
  const origin = `http://127.0.0.1:${port}`;
  const liveness = createLiveness({ origin, path: "/livez/ping", connect: hanging, limits: quick });
  const guarded = new Promise<Socket>((resolve) => {
    const wanted = { hostname: "127.0.0.1", protocol: "http:", port: String(port) };
    liveness.watch(connect)(wanted, (_error, socket) => resolve(socket as Socket));
  });
  const socket = (await guarded).on("error", () => undefined);
  cleanups.push(
    () => liveness.dispose(),
    () => socket.destroy(),
    () => server.closeAllConnections(),
    () => server.close(),
  );
  isSilent = true;
  await vi.waitFor(() => expect(liveness.stats.cutConnections).toBe(1), { timeout: 60_000 });
  expect(socket.destroyed).toBe(true);
});

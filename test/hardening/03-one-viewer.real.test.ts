// A viewer asks as much as he can, on a hub with a database in a folder, as people run it.
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import type { ClientRequest, IncomingMessage } from "node:http";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { auditOperations, livePath, liveSubprotocol, pathOf, signInOperations } from "@fairlead/contract";
import { type Clock, systemClock } from "@fairlead/kernel";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { call, type TestAnswer } from "../../packages/hub/src/hub.fixture.ts";
import { type Hub, startHub } from "../../packages/hub/src/hub.ts";
import { type HubConfig, readInvocation } from "../../packages/hub/src/platform/config/index.ts";
import { fillPods, sleepInStore } from "../../packages/hub/src/platform/store/burden.fixture.ts";
import { openStore, type Store } from "../../packages/hub/src/platform/store/index.ts";
import { openMemoryStore } from "../../packages/hub/src/platform/store/memory-store.fixture.ts";
import { createLogger } from "../../packages/hub/src/platform/telemetry/index.ts";

const pods = 10_000;
const log = createLogger({ level: "silent", name: "hub" });
let hub: Hub;
let store: Store;
let dataDir: string;
let viewer: { readonly authorization: string };
let other: { readonly authorization: string };

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "fairlead-viewer-"));
  store = await openStore({ dataDir });
  await fillPods(store, pods);
  hub = await startHub(readConfig(["--data-dir", dataDir]), { store, log });
  viewer = await createViewer("greedy");
  other = await createViewer("modest");
}, 120_000);

afterAll(async () => {
  await hub[Symbol.asyncDispose]();
  await rm(dataDir, { recursive: true });
});

describe("03: one viewer takes the hub out of service", () => {
  it("has a share of the API, is told when it is used up, and neither probes nor others notice", async () => {
    let isOver = false;
    const flood = Promise.all(Array.from({ length: 40 }, (_, index) => search(viewer, `nothing-${index}`)));
    void flood.then(() => {
      isOver = true;
    });
    const probes: { readonly status: number | undefined; readonly tookMs: number }[] = [];
    const others: (number | undefined)[] = [];
    while (!isOver) {
      const startedMs = performance.now();
      const { status } = await call(hub.peopleUrl, "/readyz");
      probes.push({ status, tookMs: performance.now() - startedMs });
      others.push((await call(hub.peopleUrl, "/api/v1/clusters", { headers: other })).status);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    const answers = await flood;
    const refused = answers.filter(({ status }) => status === 429);
    expect(probes.length).toBeGreaterThan(1);
    expect(new Set(probes.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(others)).toEqual(new Set([200]));
    // A probe's own time-out is seconds; that of Kubernetes is one by default.
    expect(Math.max(...probes.map(({ tookMs }) => tookMs))).toBeLessThan(3_000);
    expect(refused.length).toBeGreaterThanOrEqual(40 - 16);
    for (const { headers, json } of refused) {
      expect(headers["retry-after"]).toBe("1");
      expect(json).toMatchObject({ code: expect.stringMatching(/^LIMIT_|^OBJECTS_/), status: 429 });
    }
    expect((await search(viewer, `pod-${pods}`)).status).toBe(200);
  });

  it("stays ready while a statement takes longer than any probe waits", async () => {
    const slow = sleepInStore(store, 4);
    const until = performance.now() + 3_900;
    while (performance.now() < until) {
      expect((await call(hub.peopleUrl, "/readyz")).status).toBe(200);
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
    await slow;
  });

  it("isn't ready when the database fails, or has answered nothing for half a minute, and is again afterwards", async () => {
    let answer = (): Promise<void> => Promise.resolve();
    const memory = await openMemoryStore();
    const broken: Store = { ...memory, check: () => answer(), answered: 0 };
    // Half a minute of it is a second.
    const clock: Clock = {
      ...systemClock,
      after: (delayMs, callback) => systemClock.after(delayMs / 30, callback),
    };
    await using sick = await startHub(readConfig(["--in-memory"]), { store: broken, clock, log });
    const readCode = async (): Promise<unknown> => {
      const { status, json } = await call(sick.peopleUrl, "/readyz");
      const { checks } = json as { checks: { name: string; code?: string }[] };
      return status === 200 ? "ready" : checks.find(({ name }) => name === "store")?.code;
    };
    expect(await readCode()).toBe("ready");
    answer = () => Promise.reject(new Error("it fails"));
    await expect.poll(readCode).toBe("INTERNAL");
    answer = () => Promise.resolve();
    await expect.poll(readCode).toBe("ready");
    const { promise: silence, resolve: speak } = Promise.withResolvers<void>();
    answer = () => silence;
    await expect.poll(readCode).toBe("STORE_SILENT");
    speak();
    await expect.poll(readCode).toBe("ready");
  });

  it("bounds callers without a sign-in for each address", async () => {
    const strangers = Array.from({ length: 64 }, () => holdBody());
    const refresh = { method: "POST", headers: { "content-type": "application/json" }, body: "{}" };
    const readCode = async (): Promise<string> =>
      codeOf(await call(hub.peopleUrl, pathOf(signInOperations.refreshSession), refresh));
    await expect.poll(readCode).toBe("LIMIT_ADDRESS_REQUESTS");
    expect((await call(hub.peopleUrl, "/api/v1/clusters", { headers: other })).status).toBe(200);
    expect((await call(hub.peopleUrl, "/readyz")).status).toBe(200);
    for (const stranger of strangers) stranger.destroy();
    await expect.poll(readCode).not.toBe("LIMIT_ADDRESS_REQUESTS");
  });

  it("bounds what stays open for each user: live connections, and who follows the audit records", async () => {
    const live = await Promise.all(Array.from({ length: 100 }, () => openLive(viewer)));
    await expect(openLive(viewer)).rejects.toThrow("429");
    live.push(await openLive(other));
    for (const webSocket of live) webSocket.terminate();

    const admin = { authorization: `Bearer ${hub.firstAdminToken}` };
    const followers = await Promise.all(Array.from({ length: 9 }, () => follow(admin)));
    expect(followers.map(({ status }) => status).sort()).toEqual([...Array<number>(8).fill(200), 429]);
    // Streams don't take the place of requests.
    const asked = Array.from({ length: 10 }, () => call(hub.peopleUrl, "/api/v1/clusters", { headers: admin }));
    expect(new Set((await Promise.all(asked)).map(({ status }) => status))).toEqual(new Set([200]));
    for (const { leave } of followers) leave();
  });
});

function readConfig(args: readonly string[]): HubConfig {
  const listen = ["--listen", "127.0.0.1:0", "--agent-listen", "127.0.0.1:0"];
  const invocation = readInvocation({ args: [...args, ...listen], env: {} });
  if (!("config" in invocation)) throw new Error("no configuration");
  return invocation.config;
}

function search(as: { readonly authorization: string }, text: string): Promise<TestAnswer> {
  return call(hub.peopleUrl, `/api/v1/objects?kind=pods&search=${text}`, { headers: as });
}

async function createViewer(name: string): Promise<{ readonly authorization: string }> {
  await post("/api/v1/robots", { name });
  await post("/api/v1/bindings", { subject: { kind: "robot", name }, role: "viewer", clusters: { names: ["east"] } });
  const { token } = await post(`/api/v1/robots/${name}/tokens`, { ttlMs: 3_600_000 });
  return { authorization: `Bearer ${String(token)}` };
}

async function post(path: string, body: object): Promise<Record<string, unknown>> {
  const headers = { authorization: `Bearer ${hub.firstAdminToken}`, "content-type": "application/json" };
  const answer = await call(hub.peopleUrl, path, { method: "POST", headers, body: JSON.stringify(body) });
  if ((answer.status ?? 500) >= 300) throw new Error(`${path}: ${answer.status} ${answer.text}`);
  return answer.json as Record<string, unknown>;
}

/** A sign-in whose body never ends. */
function holdBody(): ClientRequest {
  const { hostname: host, port } = new URL(hub.peopleUrl);
  const path = pathOf(signInOperations.refreshSession);
  const headers = { "content-type": "application/json", "content-length": 100 };
  const asked = request({ host, port, path, method: "POST", headers, rejectUnauthorized: false, agent: false });
  asked.on("error", () => undefined);
  asked.write("{");
  return asked;
}

async function openLive(as: { readonly authorization: string }): Promise<WebSocket> {
  const url = hub.peopleUrl.replace("https:", "wss:") + livePath;
  const webSocket = new WebSocket(url, liveSubprotocol, { headers: as, rejectUnauthorized: false });
  await once(webSocket, "open");
  return webSocket;
}

async function follow(as: { readonly authorization: string }): Promise<{ status?: number; leave: () => void }> {
  const { hostname: host, port } = new URL(hub.peopleUrl);
  const path = pathOf(auditOperations.streamAudit);
  const asked = request({ host, port, path, headers: as, rejectUnauthorized: false, agent: false }).end();
  asked.on("error", () => undefined);
  const [{ statusCode: status }] = (await once(asked, "response")) as [IncomingMessage];
  return { ...(status === undefined ? {} : { status }), leave: () => void asked.destroy() };
}

function codeOf({ json }: TestAnswer): string {
  return String((json as { code?: unknown } | undefined)?.code);
}

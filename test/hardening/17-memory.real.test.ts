// The memory that a hub holds while two clusters are observed and people look at them. Its database is in other processes.
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { createClient } from "@connectrpc/connect";
import { createLinkTransport, InventoryService, type Link, type SyncResponse } from "@fairlead/protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { answer, call, dial, enroll, sayHello, type TestHub } from "../../packages/hub/src/hub.fixture.ts";
import type { FromHub, ToHub } from "../../packages/hub/src/hub-alone.fixture.ts";
import { applied, pod, pods } from "../../packages/hub/src/picture/inventory/inventory.fixture.ts";

let child: ChildProcess;
let harness: TestHub;
const links: Link[] = [];

beforeAll(async () => {
  const entry = new URL("../../packages/hub/src/hub-alone.fixture.ts", import.meta.url);
  const args = ["--in-memory", "--listen", "127.0.0.1:0", "--agent-listen", "127.0.0.1:0"];
  const execArgv = ["--conditions=@fairlead/source", "--disable-warning=ExperimentalWarning"];
  child = fork(entry, args, { execArgv, serialization: "advanced", stdio: ["ignore", "ignore", "inherit", "ipc"] });
  const ready = new Promise<Extract<FromHub, { caPem: string }>>((resolve) => {
    child.on("message", (message: FromHub) => {
      if ("caPem" in message) resolve(message);
    });
  });
  const { adminToken, ...hub } = await ready;
  const admin = { authorization: `Bearer ${adminToken}` };
  harness = {
    hub: { ...hub } as TestHub["hub"],
    store: undefined as unknown as TestHub["store"], // it is the other process's
    admin,
    limits: undefined,
    lines: [],
    [Symbol.asyncDispose]: async () => {},
  };
}, 120_000);

afterAll(async () => {
  for (const link of links) link.close("over");
  const gone = once(child, "exit");
  child.send({ ask: "end" } satisfies ToHub);
  await gone;
});

describe("17: what a hub holds", () => {
  it("is bounded with two clusters and a few sessions, and doesn't grow with what they go on doing", async () => {
    const before = await measure();
    const agents = [await observe("east"), await observe("west")];
    const people = await Promise.all(["one", "two", "three"].map(signIn));
    for (let round = 0; round < 4; round++) await work(agents, people, round);
    const early = await measure();
    for (let round = 4; round < 12; round++) await work(agents, people, round);
    const late = await measure();
    console.info(`a hub without its database: ${show(before)} at its start, ${show(early)}, ${show(late)}`);

    expect(late.rss / mib).toBeLessThan(mostRssMib);
    expect(late.heapUsed / mib).toBeLessThan(mostHeapMib);
    expect((late.rss - early.rss) / mib).toBeLessThan(40);
    expect((late.heapUsed - early.heapUsed) / mib).toBeLessThan(8);
  });
});

/** Each cluster changes 500 pods; each person looks at all there is. */
async function work(agents: readonly Agent[], people: readonly Authorization[], round: number): Promise<void> {
  await Promise.all(agents.map((agent) => agent.change(round)));
  for (const headers of people) {
    for (const path of ["/api/v1/objects?kind=pods&limit=500", "/api/v1/rollups", "/api/v1/clusters", "/metrics"]) {
      expect((await call(harness.hub.peopleUrl, path, { headers: { ...headers } })).status).toBe(200);
    }
  }
}

async function observe(cluster: string): Promise<Agent> {
  const link = await dial(await enroll(cluster, harness, ["observe", "proxy"]), harness, answer("ok"));
  links.push(link);
  await sayHello(link, cluster);
  const queue: object[] = [
    { case: "start", value: { kubeSystemUid: cluster, agentInstanceId: cluster, leaseEpoch: 1n } },
    { case: "kinds", value: { changed: [{ ...pods, state: "synced" }], complete: true } },
  ];
  let wake: () => void = () => undefined;
  async function* say(): AsyncGenerator<never> {
    while (true) {
      for (const message of queue.splice(0)) yield { message } as never;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  }
  const answers = createClient(InventoryService, createLinkTransport({ link })).sync(say())[Symbol.asyncIterator]();
  let sequence = 0n;
  return {
    async change(round) {
      const changes = Array.from({ length: 500 }, (_, index) =>
        applied(1, pod(`${cluster}-${index}`, { labels: { app: "web", round: String(round) } })),
      );
      queue.push({ case: "batch", value: { sequence: ++sequence, changes } });
      wake();
      let message: SyncResponse["message"];
      do message = (await answers.next()).value.message;
      while (message.case !== "ack" || message.value.sequence < sequence);
    },
  };
}

async function signIn(name: string): Promise<Authorization> {
  const post = async (path: string, body: object): Promise<Record<string, unknown>> => {
    const headers = { ...harness.admin, "content-type": "application/json" };
    return (await call(harness.hub.peopleUrl, path, { method: "POST", headers, body: JSON.stringify(body) }))
      .json as never;
  };
  await post("/api/v1/robots", { name });
  await post("/api/v1/bindings", { subject: { kind: "robot", name }, role: "operator", clusters: { all: true } });
  const { token } = await post(`/api/v1/robots/${name}/tokens`, { ttlMs: 3_600_000 });
  return { authorization: `Bearer ${String(token)}` };
}

function measure(): Promise<NodeJS.MemoryUsage> {
  const { promise, resolve } = Promise.withResolvers<NodeJS.MemoryUsage>();
  child.on("message", function take(message: FromHub) {
    if (!("memory" in message)) return;
    child.off("message", take);
    resolve(message.memory);
  });
  child.send({ ask: "memory" } satisfies ToHub);
  return promise;
}

function show({ rss, heapUsed, external }: NodeJS.MemoryUsage): string {
  return `${Math.round(rss / mib)} MiB (heap ${Math.round(heapUsed / mib)}, outside ${Math.round(external / mib)})`;
}

interface Agent {
  change(round: number): Promise<void>;
}

type Authorization = TestHub["admin"];

const mib = 1024 * 1024;
/** From source: taking types out of it takes 60 MiB, unless a run before left what it compiled. */
const mostRssMib = 300;
const mostHeapMib = 80;

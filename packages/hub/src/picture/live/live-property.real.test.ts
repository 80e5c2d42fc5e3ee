// Each client ends with what the API answers to the same question, whatever happens, in whatever order.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import type { ObjectFilter } from "@fairlead/contract";
import { array, asyncProperty, assert as check, constant, constantFrom, integer, oneof, record } from "fast-check";
import { pino } from "pino";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Principal } from "../../people/access/index.ts";
import { caller, nowMs, type ObjectsHarness, setObjectsHarness } from "../objects/objects-harness.fixture.ts";
import { Follower } from "./follower.fixture.ts";
import { createLive } from "./index.ts";
import { noRuns } from "./no-runs.fixture.ts";

let harness: ObjectsHarness;

beforeAll(async () => {
  harness = await setObjectsHarness();
}, 60_000);

afterAll(() => harness?.[Symbol.asyncDispose]());

const everything = caller("everything", { clusters: ["east", "west"] });
const shopper = caller("shopper", { clusters: ["east"], namespaces: ["shop"] });

const asked: readonly { principal: Principal; filter: ObjectFilter }[] = [
  { principal: everything, filter: { kind: "pods" } },
  { principal: everything, filter: { labelSelector: "app in (a,b)" } },
  { principal: everything, filter: { kind: "deploy,secrets", clusterSelector: "side=west" } },
  { principal: shopper, filter: { kind: "pods", labelSelector: "app!=a" } },
  { principal: shopper, filter: {} },
];

const object = record({
  cluster: constantFrom("east", "west"),
  kind: constantFrom("pods", "pods", "deployments.apps", "secrets", "nodes"),
  namespace: constantFrom("shop", "data"),
  name: constantFrom("n1", "n2", "n3", "n4"),
});
const isForeign = (uid: string): boolean => !/^east-(pods|deployments.apps)-shop-/.test(uid);
const client = integer({ min: 0, max: asked.length - 1 });
const step = oneof(
  { weight: 8, arbitrary: record({ type: constant("put" as const), object, app: constantFrom("a", "b", "c") }) },
  { weight: 3, arbitrary: record({ type: constant("delete" as const), object }) },
  { weight: 3, arbitrary: record({ type: constant("stall" as const), client }) },
  { weight: 3, arbitrary: record({ type: constant("go" as const), client }) },
  { weight: 2, arbitrary: record({ type: constant("reconnect" as const), client }) },
  { weight: 2, arbitrary: record({ type: constant("wait" as const), ms: integer({ min: 1, max: 40 }) }) },
);

test("clients have in the end what the API answers", { timeout: 240_000 }, async () => {
  await check(
    asyncProperty(
      array(step, { minLength: 5, maxLength: 60 }),
      array(constantFrom(0, 0, 5, 20, 60), { minLength: 16, maxLength: 16 }),
      integer({ min: 1, max: 3 }),
      async (steps, delaysMs, credit) => {
        await harness.clear();
        await using hub = await startHub(delaysMs);
        const clients = asked.map(
          (one) =>
            new Follower({
              port: hub.port,
              ...one,
              credit,
              isForeign: one.principal === shopper ? isForeign : undefined,
            }),
        );
        const there = new Map<string, "there" | "gone">();
        for (const one of steps) {
          switch (one.type) {
            case "put": {
              const { cluster, kind, name } = one.object;
              const namespace = kind === "nodes" ? "" : one.object.namespace;
              const uid = `${cluster}-${kind}-${namespace}-${name}`;
              const state = there.get(uid);
              if (state === "there") await harness.change(uid, { change: "updated", labels: { app: one.app } });
              if (state === undefined) {
                await harness.add(cluster, kind, { name, ...(namespace && { namespace }), labels: { app: one.app } });
                there.set(uid, "there");
              }
              break;
            }
            case "delete": {
              const { cluster, kind, name } = one.object;
              const uid = `${cluster}-${kind}-${kind === "nodes" ? "" : one.object.namespace}-${name}`;
              if (there.get(uid) !== "there") break;
              await harness.change(uid, { change: "deleted", deletedAt: new Date() });
              there.set(uid, "gone");
              break;
            }
            case "stall":
            case "go":
              clients[one.client]?.stall(one.type === "stall");
              break;
            case "reconnect":
              clients[one.client]?.reconnect();
              break;
            case "wait":
              await pause(one.ms);
          }
        }
        for (const one of clients) one.stall(false);
        for (const [index, { principal, filter }] of asked.entries()) {
          const { items } = await harness.objects.list({ ...filter, limit: 500 }, { principal, nowMs });
          const wanted = items.map(({ uid, labels }) => `${uid} ${labels["app"]}`).sort();
          const has = (): string[] => clients[index]?.items() ?? [];
          await expect.poll(has, { timeout: 60_000, interval: 10 }).toEqual(wanted);
        }
        for (const one of clients) {
          expect([...one.foreign, ...one.errors]).toEqual([]);
          one.close();
        }
      },
    ),
    { numRuns: 25, endOnFailure: true },
  );
});

/** A store that answers late, in an order of its own. */
async function startHub(delaysMs: readonly number[]): Promise<AsyncDisposable & { readonly port: number }> {
  let turn = 0;
  const late = async <T>(read: () => Promise<T>): Promise<T> => {
    const next = (): number => delaysMs[turn++ % delaysMs.length] ?? 0;
    await pause(next());
    const found = await read();
    await pause(next());
    return found;
  };
  const { requests, store } = harness.objects;
  const slow: ObjectsHarness["objects"]["store"] = {
    list: (options) => late(() => store.list(options)),
    listChanged: (options) => late(() => store.listChanged(options)),
  };
  const live = createLive({
    access: {
      authenticate: (authorization) => (authorization === "Bearer everything" ? everything : shopper),
      authorize: harness.access.authorize,
      isSignedIn: () => true,
      onChanged: () => () => undefined,
    },
    clusters: { exists: () => true, onRevoked: () => () => undefined },
    inventory: harness.inventory,
    objects: { requests, store: slow, storeFor: (...args) => ({ ...harness.objects.storeFor(...args), ...slow }) },
    subscribeToRuns: noRuns,
    log: pino({ level: "silent" }),
  });
  const server = createServer().listen(0, "127.0.0.1");
  server.on("upgrade", (req, socket, head) => live.handleUpgrade(req, socket as never, head));
  await new Promise((resolve) => server.once("listening", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      await live[Symbol.asyncDispose]();
      server.close();
      server.closeAllConnections();
    },
  };
}

import { afterAll, beforeAll, expect, test } from "vitest";
import { openCluster } from "../cluster/index.ts";
import { askBroker } from "./ask-broker.ts";
import { brokerSocketVariable, startBroker } from "./broker.ts";
import { leaseCluster } from "./lease-cluster.ts";

// One of this file's own, whose clusters nobody else takes.
const undo = new AsyncDisposableStack();

beforeAll(async () => {
  const socket = process.env[brokerSocketVariable];
  undo.defer(() => {
    if (socket !== undefined) process.env[brokerSocketVariable] = socket;
  });
  undo.use(await startBroker());
});
afterAll(() => undo.disposeAsync());

test("a lease ends with its connection, and what it had stopped or paused goes on for the next one", async () => {
  // A worker that dies does no more than this.
  const lost = await askBroker("/lease", { name: "lost" });
  const { stateDir } = lost;
  using _ = await askBroker("/stop", { stateDir, component: "kube-controller-manager" });
  using __ = await askBroker("/pause", { stateDir, component: "kube-apiserver" });
  lost[Symbol.dispose]();

  const next = await leaseCluster({ name: "next", nodes: 2 });
  expect(next).toMatchObject({ stateDir, name: "next" });
  const { items } = await next.api.json<{ items: { metadata: { name: string } }[] }>({ path: "/api/v1/nodes" });
  expect(items.map(({ metadata }) => metadata.name)).toEqual(["next-node-0", "next-node-1"]);
  await next[Symbol.asyncDispose]();

  await using last = await leaseCluster({ name: "last", nodes: 0 });
  expect(last.stateDir).toBe(stateDir);
  const { api } = await openCluster(stateDir);
  using ___ = api;
  expect(await api.json({ path: "/api/v1/nodes" })).toMatchObject({ items: [] });
});

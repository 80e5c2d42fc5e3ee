import type { Cluster, GitopsMode } from "@fairlead/contract";
import { createMovableClock } from "@fairlead/kernel/testing";
import { expect, test } from "vitest";
import { createClusterInfos } from "./cluster-infos.ts";

const here = Date.parse("2026-01-02T03:04:05Z");
const never = new AbortController().signal;
type Ask = (signal: AbortSignal) => Promise<Uint8Array | undefined>;

test("a cluster that doesn't answer in time is shown as one that doesn't, and its question ends", async () => {
  const clock = createMovableClock();
  let asked: AbortSignal | undefined;
  const silent: Ask = (signal) => {
    asked = signal;
    return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
  };
  const found = open({ ask: silent, clock }).find(keyOf("east"), never);
  await expect.poll(() => asked).toBeDefined();
  clock.move(3_000);
  expect(await read(found)).toMatchObject({
    connectionState: { status: "Failed", message: "The agent is connected and doesn't answer." },
    applicationsCount: 4,
  });
  expect(asked?.aborted).toBe(true);
});

test("a client that leaves ends the question", async () => {
  const leaving = new AbortController();
  const ask: Ask = (signal) => {
    leaving.abort(new Error("gone"));
    return Promise.reject(signal.reason);
  };
  await expect(open({ ask }).find(keyOf("east"), leaving.signal)).rejects.toThrow("gone");
});

test("a cluster without a mode is none that Argo CD on the hub is told of", async () => {
  expect(await open({ mode: "off" }).find(keyOf("east"), never)).toBeUndefined();
  expect(await open({}).find(keyOf("west"), never)).toBeUndefined();
});

test.each([
  [{ state: "offline" }, "The agent is away since 2026-01-01T00:00:00.000Z."],
  [{ state: "never-connected" }, "No agent of the cluster has called yet."],
  [{ state: "revoked" }, "The cluster is revoked since 2026-01-01T00:00:00.000Z."],
  [{ state: "connected", linkedRoles: ["proxy"] }, "No agent with the role gitops is connected."],
  [{ state: "connected", linkedRoles: ["gitops"] }, "The agent's connection is lost, and may be back in a moment."],
  [{ state: "stale", refusal: { code: "X", message: "It is another cluster." } }, "It is another cluster."],
] as const)("without a link to ask over, %j is told", async (cluster, message) => {
  const infos = open({ cluster: cluster as Partial<Cluster>, isAway: true });
  expect(await read(infos.find(keyOf("east"), never))).toMatchObject({
    connectionState: { status: "Failed", message, attemptedAt: "2026-01-01T00:00:00Z" },
  });
});

function open(options: {
  readonly ask?: Ask;
  readonly clock?: ReturnType<typeof createMovableClock>;
  readonly mode?: GitopsMode | "off";
  readonly cluster?: Partial<Cluster>;
  readonly isAway?: boolean;
}) {
  const { ask = async () => undefined, clock = createMovableClock(), mode = "managed", cluster, isAway } = options;
  return createClusterInfos({
    publicUrl: "https://hub.example.com",
    clusters: {
      exists: (name) => name === "east",
      get: () => ({ name: "east", state: "connected", stateSince: "2026-01-01T00:00:00.000Z", ...cluster }) as Cluster,
    },
    readSettings: async () => ({ mode }),
    countApplications: async () => 4,
    connections: () => (isAway ? [] : [{ connectedAt: here } as ReturnType<Connections>[number]]),
    trees: { readInfo: (_cluster, _key, signal) => ask(signal) },
    clock,
  });
}

type Connections = Parameters<typeof createClusterInfos>[0]["connections"];

function keyOf(cluster: string): Buffer {
  return Buffer.from(`cluster|info|https://hub.example.com/k8s/clusters/${cluster}|1.8.3`);
}

async function read(found: Promise<Buffer | undefined>): Promise<unknown> {
  return JSON.parse((await found)?.toString() ?? "null");
}

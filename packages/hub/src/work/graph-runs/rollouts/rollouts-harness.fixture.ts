// Hubs with rooms of commands and rollouts on one real database, and clusters whose agents are played by the test.
import { randomUUID } from "node:crypto";
import type { Rollout, RolloutCluster, RolloutClusterList } from "@fairlead/contract";
import { expect } from "vitest";
import {
  type CommandsHarness,
  type HarnessHub,
  type HarnessHubOptions,
  type HarnessPorts,
  type HarnessRoom,
  openCommandsHarness,
} from "../../commands/commands-harness.fixture.ts";
import { createGraphRunNews } from "../news.ts";
import type { RolloutLimits } from "./add-rollout.ts";
import { openRollouts, type RolloutsRoom } from "./open.ts";

export interface RolloutHub extends HarnessHub {
  /** All that have the label `fleet` with this value. */
  makeFleet(names: readonly string[], labels?: Readonly<Record<string, string>>): Promise<string>;
  start(request: object, user?: string): Promise<Rollout>;
  see(id: string): Promise<Rollout>;
  parts(id: string): Promise<readonly RolloutCluster[]>;
  /** Claims all that there are in the cluster, and says how they end. */
  end(cluster: string, state?: "succeeded" | "failed"): Promise<void>;
  /** Until the clusters, and no others, have commands that haven't ended. */
  untilRunning(id: string, names: readonly string[]): Promise<void>;
  untilState(id: string, state: Rollout["state"]): Promise<Rollout>;
}

export interface RolloutsHarness extends AsyncDisposable {
  readonly store: CommandsHarness["store"];
  openHub(options?: RolloutHubOptions): Promise<RolloutHub>;
}

export type RolloutHubOptions = Omit<HarnessHubOptions, "addRoom"> & {
  readonly rolloutLimits?: RolloutLimits;
};

export async function openRolloutsHarness(): Promise<RolloutsHarness> {
  const harness = await openCommandsHarness();
  return {
    store: harness.store,
    async openHub({ rolloutLimits: limits, ...options } = {}) {
      const hub = await harness.openHub({ ...options, addRoom: (ports) => addRollouts(ports, { limits }) });
      return { ...hub, ...createHands(hub) };
    },
    [Symbol.asyncDispose]: () => harness[Symbol.asyncDispose](),
  };
}

function addRollouts(ports: HarnessPorts, more: { readonly limits?: RolloutLimits | undefined } = {}): HarnessRoom {
  const news = createGraphRunNews(ports.bus, "rollouts");
  let room: RolloutsRoom | undefined;
  return {
    onPartChanged: ({ id }) => news.tell(id),
    routes(parts) {
      room = openRollouts({ ...ports, ...more, news, parts });
      return room.routes;
    },
    async [Symbol.asyncDispose]() {
      await room?.[Symbol.asyncDispose]();
      news[Symbol.dispose]();
    },
  };
}

type Hands = Pick<RolloutHub, "makeFleet" | "start" | "see" | "parts" | "end" | "untilRunning" | "untilState">;

function createHands(hub: HarnessHub): Hands {
  const hands: Hands = {
    async makeFleet(names, labels = {}) {
      const fleet = randomUUID().slice(0, 8);
      for (const name of names) await hub.clusters.create({ name, roles: ["execute"], labels: { fleet, ...labels } });
      return fleet;
    },
    async start(request, user) {
      const asked = { kind: "manifests", spec: { set: "web", manifests: "" }, ...request };
      const { status, json, text } = await hub.ask("POST", "/api/v1/rollouts", asked, user);
      if (status !== 201 && status !== 200) throw Object.assign(new Error(text), json);
      return json as Rollout;
    },
    see: async (id) => (await hub.ask("GET", `/api/v1/rollouts/${id}`)).json as Rollout,
    async parts(id) {
      const { json } = await hub.ask("GET", `/api/v1/rollouts/${id}/clusters?limit=1000`);
      return (json as RolloutClusterList).items;
    },
    async end(cluster, state = "succeeded") {
      const agent = hub.agent(cluster);
      const { commands } = await agent.claim({ agentInstanceId: "i1", most: 16, kinds: ["manifests"] });
      for (const { id, epoch } of commands) await agent.report({ id, epoch, sequence: 1n, state });
    },
    async untilRunning(id, names) {
      const running = async () =>
        (await hands.parts(id)).filter(({ state }) => state === "running").map(({ cluster }) => cluster);
      await expect.poll(running).toEqual(names);
    },
    async untilState(id, state) {
      await expect.poll(async () => (await hands.see(id)).state).toBe(state);
      return await hands.see(id);
    },
  };
  return hands;
}

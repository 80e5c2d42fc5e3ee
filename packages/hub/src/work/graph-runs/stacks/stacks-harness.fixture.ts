// Hubs with rooms of commands and stacks on one real database, and clusters whose agents are played by the test.
import type { StackDetail, StackRunDetail, StackRunStateName } from "@fairlead/contract";
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
import type { StackKinds } from "./kinds.ts";
import { openStacks, type StacksRoom } from "./open.ts";
import type { StackShares } from "./shares.ts";

export interface StackHub extends HarnessHub {
  /** Throws the hub's error. */
  run(stack: string, request: object, user?: string): Promise<StackRunDetail>;
  see(run: StackRunDetail): Promise<StackRunDetail>;
  cancel(run: StackRunDetail): Promise<StackRunDetail>;
  show(stack: string): Promise<StackDetail>;
  /** Claims all that there are in the cluster, once there are some, says how they end, and gives what they were. */
  end(cluster: string, outcome?: "succeeded" | "failed"): Promise<EndedCommand[]>;
  /** Until these steps, and no others, have commands that haven't ended. */
  untilRunning(run: StackRunDetail, names: readonly string[]): Promise<void>;
  untilState(run: StackRunDetail, state: StackRunStateName): Promise<StackRunDetail>;
}

export interface EndedCommand {
  readonly id: string;
  readonly dryRun: boolean;
  readonly spec: Readonly<Record<string, unknown>>;
}

export interface StacksHarness extends AsyncDisposable {
  readonly store: CommandsHarness["store"];
  openHub(options?: StackHubOptions): Promise<StackHub>;
}

export type StackHubOptions = Omit<HarnessHubOptions, "addRoom"> & StackOptions;

interface StackOptions {
  readonly shares?: StackShares | undefined;
  readonly kinds?: StackKinds | undefined;
}

export async function openStacksHarness(): Promise<StacksHarness> {
  const harness = await openCommandsHarness();
  return {
    store: harness.store,
    async openHub({ shares, kinds, ...options } = {}) {
      const hub = await harness.openHub({ ...options, addRoom: (ports) => addStacks(ports, { shares, kinds }) });
      return { ...hub, ...createHands(hub) };
    },
    [Symbol.asyncDispose]: () => harness[Symbol.asyncDispose](),
  };
}

function addStacks(ports: HarnessPorts, more: StackOptions): HarnessRoom {
  const news = createGraphRunNews(ports.bus, "stack runs");
  let room: StacksRoom | undefined;
  return {
    onPartChanged: ({ id }) => news.tell(id),
    routes(parts) {
      room = openStacks({ ...ports, ...more, news, parts });
      return room.routes;
    },
    async [Symbol.asyncDispose]() {
      await room?.[Symbol.asyncDispose]();
      news[Symbol.dispose]();
    },
  };
}

function createHands(hub: HarnessHub): Omit<StackHub, keyof HarnessHub> {
  const hands: Omit<StackHub, keyof HarnessHub> = {
    async run(stack, request, user) {
      const { status, json, text } = await hub.ask("POST", `/api/v1/stacks/${stack}/runs`, request, user);
      if (status !== 201 && status !== 200) throw Object.assign(new Error(text), json);
      return json as StackRunDetail;
    },
    see: async ({ stack, id }) => (await hub.ask("GET", `/api/v1/stacks/${stack}/runs/${id}`)).json as StackRunDetail,
    cancel: async ({ stack, id }) =>
      (await hub.ask("POST", `/api/v1/stacks/${stack}/runs/${id}/cancel`, {})).json as StackRunDetail,
    show: async (stack) => (await hub.ask("GET", `/api/v1/stacks/${stack}`)).json as StackDetail,
    async end(cluster, state = "succeeded") {
      const agent = hub.agent(cluster);
      const claim = async () => (await agent.claim({ agentInstanceId: "i1", most: 16, kinds: ["manifests"] })).commands;
      let commands = await claim();
      for (const until = Date.now() + 10_000; commands.length === 0 && Date.now() < until; ) commands = await claim();
      for (const { id, epoch } of commands) await agent.report({ id, epoch, sequence: 1n, state });
      const payloads = commands.map(({ envelope }) => Buffer.from(envelope.split(".")[1] ?? "", "base64url"));
      return payloads.map((payload) => JSON.parse(payload.toString()) as EndedCommand);
    },
    async untilRunning(run, names) {
      const running = async () =>
        (await hands.see(run)).steps.filter(({ state }) => state === "running").map(({ name }) => name);
      await expect.poll(running).toEqual(names);
    },
    async untilState(run, state) {
      await expect.poll(async () => (await hands.see(run)).state).toBe(state);
      return await hands.see(run);
    },
  };
  return hands;
}

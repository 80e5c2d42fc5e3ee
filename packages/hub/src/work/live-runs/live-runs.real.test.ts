// Runs are followed on the live socket, by way of a real database and several hubs.
import { randomUUID } from "node:crypto";
import { gzipSync } from "node:zlib";
import type { RunFilter } from "@fairlead/contract";
import { FairleadError } from "@fairlead/kernel";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  type CommandsHarness,
  freeAccess,
  type HarnessHub,
  openCommandsHarness,
} from "../commands/commands-harness.fixture.ts";
import { followAs, type RunFollower } from "./run-follower.fixture.ts";

let harness: CommandsHarness;
let hub: HarnessHub;
let other: HarnessHub;
let deaf: HarnessHub;
let cluster: string;
/** Names of people who may see nothing, and the listeners that hear of changes of rights. */
const blind = new Set<string>();
const listeners = new Set<() => void>();

beforeAll(async () => {
  harness = await openCommandsHarness();
  const may = ({ name }: { readonly name: string }): boolean => !blind.has(name);
  const access = {
    ...freeAccess,
    may,
    require(principal: { readonly name: string }) {
      if (!may(principal)) throw new FairleadError({ code: "ACCESS_DENIED", message: "no", httpStatus: 403 });
    },
    onChanged(listener: () => void) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
  hub = await harness.openHub({ access });
  other = await harness.openHub({ access });
  deaf = await harness.openHub({ isDeaf: true });
});
afterAll(() => harness[Symbol.asyncDispose]());
beforeEach(async () => {
  blind.clear();
  cluster = `c${randomUUID().slice(0, 8)}`;
  await hub.clusters.create({ name: cluster, roles: ["execute"] });
});

async function begin(set = "web"): Promise<string> {
  const { id } = await hub.submit({ cluster, set });
  await hub.agent(cluster).claim({ agentInstanceId: "i", most: 16, kinds: ["manifests"] });
  return id;
}

const append = (id: string, offset: number, text: string) =>
  hub.agent(cluster).appendLog({ id, epoch: 1n, offset: BigInt(offset), chunk: gzipSync(text) });
const report = (id: string, state: "running" | "succeeded", logBytes = 0) =>
  hub.agent(cluster).report({
    id,
    epoch: 1n,
    sequence: state === "running" ? 1n : 2n,
    state,
    logBytes: BigInt(logBytes),
  });
const follow = (
  id: string,
  { user = "alice", logFrom = 0, credit = 100, at = hub }: FollowOptions = {},
): Promise<RunFollower> =>
  followAs(user, at.subscribeToRuns, { type: "follow-run", id: "1", run: id, logFrom, credit });
const followList = (filter: RunFilter, { user = "alice", credit = 100 } = {}) =>
  followAs(user, hub.subscribeToRuns, { type: "follow-runs", id: "1", filter: { cluster, ...filter }, credit });

interface FollowOptions {
  readonly user?: string;
  readonly logFrom?: number;
  readonly credit?: number;
  readonly at?: HarnessHub;
}

function setBlind(user: string): void {
  blind.add(user);
  for (const listener of [...listeners]) listener();
}

describe("a run that is followed", () => {
  it("is told as it comes along, with each byte of its log once, and then its end", async () => {
    const id = await begin();
    await append(id, 0, "one\n");
    const follower = await follow(id);
    await expect.poll(() => follower.log()).toBe("one\n");
    await report(id, "running");
    await expect.poll(() => follower.states().at(-1)).toBe("running");
    await append(id, 4, "two\n");
    await expect.poll(() => follower.log()).toBe("one\ntwo\n");
    await report(id, "succeeded", 12);
    await append(id, 8, "end\n");
    await expect.poll(() => follower.isOver()).toBe(true);
    expect(follower.log()).toBe("one\ntwo\nend\n");
    expect(follower.states()).toEqual(["claimed", "running", "succeeded"]);
    expect([follower.messages.at(-1), follower.errors]).toEqual([{ type: "ended", id: "1" }, []]);
  });

  it("is told from the byte that is asked for, or without its log", async () => {
    const id = await begin();
    await append(id, 0, "one\ntwo\n");
    await report(id, "succeeded", 8);
    const onwards = await follow(id, { logFrom: 4 });
    await expect.poll(() => onwards.isOver()).toBe(true);
    expect(onwards.log()).toBe("two\n");
    const plain = await followAs("alice", hub.subscribeToRuns, { type: "follow-run", id: "1", run: id });
    await expect.poll(() => plain.isOver()).toBe(true);
    expect(plain.messages.map(({ type }) => type)).toEqual(["run", "ended"]);
  });

  it("waits for a client that gives no credit, or whose socket is full, and misses nothing of the log", async () => {
    const id = await begin();
    const follower = await follow(id, { credit: 1 });
    await expect.poll(() => follower.messages.length).toBe(1);
    let text = "";
    for (let line = 0; line < 20; line++) {
      await append(id, text.length, `line ${line}\n`);
      text += `line ${line}\n`;
    }
    expect(follower.messages.length).toBe(1);
    follower.hasRoom = false;
    follower.addCredit(100);
    expect(follower.messages.length).toBe(1);
    await report(id, "succeeded", text.length);
    follower.hasRoom = true;
    follower.addCredit(1);
    await expect.poll(() => follower.isOver()).toBe(true);
    expect(follower.log()).toBe(text);
  });

  it("is told at whichever hub one follows it, also one that hears nothing of the others", async () => {
    const id = await begin();
    const followers = await Promise.all([other, deaf].map((at) => follow(id, { at })));
    await append(id, 0, "one\n");
    await report(id, "running");
    await report(id, "succeeded", 4);
    for (const follower of followers) await expect.poll(() => follower.isOver()).toBe(true);
    expect(followers.map((each) => [each.log(), each.states().at(-1)])).toEqual(Array(2).fill(["one\n", "succeeded"]));
  });

  it("can't be told from one that isn't there by who may not see it, and is told no more when that right goes", async () => {
    const id = await begin();
    blind.add("bob");
    expect((await follow(id, { user: "bob" })).errors).toEqual(["COMMAND_NOT_FOUND"]);
    expect((await follow("cmd_none")).errors).toEqual(["COMMAND_NOT_FOUND"]);
    const [carol, alice] = [await follow(id, { user: "carol" }), await follow(id)];
    await expect.poll(() => carol.messages.length).toBe(1);
    setBlind("carol");
    expect(carol.errors).toEqual(["LIVE_RIGHTS_CHANGED"]);
    await append(id, 0, "secret\n");
    await expect.poll(() => alice.log()).toBe("secret\n");
    expect([carol.log(), carol.messages.length]).toEqual(["", 1]);
    alice.leave();
  });
});

describe("runs that are followed by a question", () => {
  it("are told whole at first, then those that are new, changed or among the newest no more", async () => {
    const first = await begin("a");
    const follower = await followList({ limit: 2 });
    const told = () => follower.messages.map((each) => (each.type === "runs" ? each : undefined));
    await expect.poll(() => told().length).toBe(1);
    expect(told()[0]).toMatchObject({ items: [{ id: first, state: "claimed" }], gone: [] });
    await report(first, "running");
    await expect.poll(() => told().at(-1)).toMatchObject({ items: [{ id: first, state: "running" }] });
    const second = await hub.submit({ cluster, set: "b" });
    await expect.poll(() => told().at(-1)).toMatchObject({ items: [{ id: second.id }], gone: [] });
    const third = await other.submit({ cluster, set: "c" });
    await expect.poll(() => told().at(-1)).toMatchObject({ items: [{ id: third.id }], gone: [first] });
    follower.leave();
  });

  it("are told to be gone when they aren't one's to see any more, and none is told to who may see none", async () => {
    const id = await begin();
    blind.add("bob");
    const [bob, carol] = [await followList({}, { user: "bob" }), await followList({}, { user: "carol" })];
    await expect.poll(() => [bob, carol].map(({ messages }) => messages.length)).toEqual([1, 1]);
    expect(bob.messages[0]).toEqual({ type: "runs", id: "1", items: [], gone: [] });
    setBlind("carol");
    await expect.poll(() => carol.messages.at(-1)).toEqual({ type: "runs", id: "1", items: [], gone: [id] });
    for (const each of [bob, carol]) each.leave();
  });
});

describe("the room for those who follow runs", () => {
  it("is a share for each person, and logs count with those that are read otherwise", async () => {
    const id = await begin();
    await append(id, 0, "one\n");
    const logs = await Promise.all(Array.from({ length: 8 }, () => follow(id)));
    expect((await follow(id)).errors).toEqual(["COMMAND_LOG_READERS_TOO_MANY"]);
    expect((await hub.ask("GET", `/api/v1/commands/${id}/log`)).status).toBe(429);
    expect((await follow(id, { user: "bob" })).errors).toEqual([]);
    logs[0]?.leave();
    expect((await hub.ask("GET", `/api/v1/commands/${id}/log`)).status).toBe(200);

    const lists = await Promise.all(Array.from({ length: 57 }, () => followList({})));
    expect((await followList({})).errors).toEqual(["LIVE_TOO_MANY"]);
    expect((await followList({}, { user: "bob" })).errors).toEqual([]);
    lists[0]?.leave();
    expect((await followList({})).errors).toEqual([]);
  });
});

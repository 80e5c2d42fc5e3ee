// Agents send logs and people read them, by way of a real database.
import { randomBytes, randomUUID } from "node:crypto";
import { gzipSync } from "node:zlib";
import { logNextHeader } from "@fairlead/contract";
import { until } from "@fairlead/kernel/testing";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type CommandsHarness, type HarnessHub, openCommandsHarness } from "../commands/commands-harness.fixture.ts";
import { followAs } from "../live-runs/run-follower.fixture.ts";
import { fullMark } from "./append-log.ts";
import { endLostLogs } from "./end-lost-logs.ts";
import { trimLogs } from "./trim-logs.ts";
import { missingMark } from "./write-piece.ts";

let harness: CommandsHarness;
let hub: HarnessHub;
let small: HarnessHub;
let cluster: string;
beforeAll(async () => {
  harness = await openCommandsHarness();
  hub = await harness.openHub();
  small = await harness.openHub({ limits: { log: { commandBytes: 1_000, bytesPerSecond: 1_000 } } });
});
afterAll(() => harness[Symbol.asyncDispose]());
beforeEach(async () => {
  cluster = `c${randomUUID().slice(0, 8)}`;
  await hub.clusters.create({ name: cluster, roles: ["execute"] });
});

async function begin(set = "web"): Promise<string> {
  const { id } = await hub.submit({ cluster, set });
  await hub.agent(cluster).claim({ agentInstanceId: "i", most: 16, kinds: ["manifests"] });
  return id;
}

async function append(
  id: string,
  offset: number,
  text: string | Buffer,
  { epoch = 1n, at = hub, isLost: lost = false } = {},
) {
  const chunk = gzipSync(text);
  const answer = await at.agent(cluster).appendLog({ id, epoch, offset: BigInt(offset), chunk, lost });
  return { offset: Number(answer.acknowledgedOffset), accepted: answer.accepted, waitMs: answer.waitMs };
}

/** The same numbers each time. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
}

const read = (id: string, query = "") => hub.ask("GET", `/api/v1/commands/${id}/log${query}`);
const finish = (id: string, logBytes: number, epoch = 1n) =>
  hub.agent(cluster).report({ id, epoch, sequence: 1n, state: "succeeded", logBytes: BigInt(logBytes) });

/** As if its outcome, and what came of its log, had come that long ago. */
async function age(id: string, by: string): Promise<void> {
  const { db } = harness.store;
  await sql`update command set finished_at = finished_at - ${by}::interval where id = ${id}`.execute(db);
  await sql`update command_log set grown_at = grown_at - ${by}::interval where command = ${id}`.execute(db);
}

describe("a log", () => {
  it("is whole, whether its pieces come too early, twice or overlap", async () => {
    const id = await begin();
    expect(await append(id, 5, "world")).toMatchObject({ offset: 0, accepted: true });
    expect(await append(id, 0, "hello ")).toMatchObject({ offset: 6, accepted: true });
    expect(await append(id, 0, "hello ")).toMatchObject({ offset: 6, accepted: true });
    expect(await append(id, 3, "lo world")).toMatchObject({ offset: 11, accepted: true });
    const { text, headers } = await read(id);
    expect([text, (headers as Record<string, string>)[logNextHeader]]).toEqual(["hello world", "11"]);
    expect((await read(id, "?offset=6")).text).toBe("world");
    expect((await read(id, "?offset=100")).text).toBe("");
    expect((await hub.get(id)).logBytes).toBe(11);
  });

  it("is whole after any pieces at all, when its agent goes on from what is acknowledged", async () => {
    const id = await begin();
    const random = createRandom(7);
    const whole = Buffer.from(Array.from({ length: 30_000 }, () => 32 + Math.floor(random() * 90)));
    let kept = 0;
    for (let times = 0; times < 60 || kept < whole.byteLength; times++) {
      const isLost = times < 60 && random() < 0.5;
      const offset = isLost ? Math.floor(random() * whole.byteLength) : kept;
      const length = Math.floor(random() * 2_000);
      const answer = await append(id, offset, whole.subarray(offset, offset + length));
      expect(answer.offset).toBe(offset > kept ? kept : Math.max(kept, Math.min(offset + length, whole.byteLength)));
      kept = answer.offset;
    }
    expect((await read(id)).text).toBe(whole.toString());
  });

  it("takes nothing under an old epoch, and tells the next agent where to go on", async () => {
    const id = await begin();
    await append(id, 0, "first\n");
    await sql`update command set lease_until = clock_timestamp() - interval '1 second' where id = ${id}`.execute(
      harness.store.db,
    );
    const { commands } = await hub.agent(cluster).claim({ agentInstanceId: "j", most: 1, kinds: ["manifests"] });
    expect(commands).toMatchObject([{ id, epoch: 2n, logOffset: 6n }]);
    expect(await append(id, 6, "of a ghost\n")).toMatchObject({ offset: 0, accepted: false });
    expect(await append(id, 6, "second\n", { epoch: 2n })).toMatchObject({ offset: 13, accepted: true });
    expect((await read(id)).text).toBe("first\nsecond\n");
  });

  it("in many small pieces is a few rows, and in large ones the same bytes", async () => {
    const id = await begin();
    let whole = Buffer.alloc(0);
    for (let index = 0; index < 60; index++) {
      const piece = randomBytes(index % 20 === 0 ? 200_000 : 7);
      await append(id, whole.byteLength, piece);
      whole = Buffer.concat([whole, piece]);
    }
    const answer = await hub.ask("GET", `/api/v1/commands/${id}/log?offset=${whole.byteLength - 50_000}`);
    expect(answer.text).toBe(whole.subarray(-50_000).toString("utf8"));
    const { rows } = await sql<{ count: number }>`
      select count(*) as count from command_log_piece where command = ${id}`.execute(harness.store.db);
    expect(rows[0]?.count).toBeLessThan(8);
  });

  it("in many small pieces has one time a second, however fast they come", async () => {
    const id = await begin();
    const startedAtMs = performance.now();
    for (let index = 0; index < 40; index++) await append(id, index, "x");
    const { rows } = await sql<{ count: number }>`
      select count(*)::int as count from command_log_arrival where command = ${id}`.execute(harness.store.db);
    expect(rows[0]?.count).toBeLessThanOrEqual(1 + (performance.now() - startedAtMs) / 1_000);
  });

  it("has a time with each line where it is wanted, in one answer and while it is followed", async () => {
    const id = await begin();
    await append(id, 0, "one\ntw");
    // Times a second apart are told apart.
    await sql`update command_log_arrival set at = '2026-01-01T00:00:01Z' where command = ${id}`.execute(
      harness.store.db,
    );
    await append(id, 6, "o\nthree\n");
    const stamp = "\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z";
    const first = "2026-01-01T00:00:01.000Z";
    expect((await read(id, "?timestamps=true")).text).toMatch(
      new RegExp(`^${first} one\n${first} two\n${stamp} three\n$`),
    );
    expect((await read(id)).text).toBe("one\ntwo\nthree\n");
    const request = { type: "follow-run", id: "1", run: id, logFrom: 0, timestamps: true, credit: 100 } as const;
    const follower = await followAs("alice", hub.subscribeToRuns, request);
    await finish(id, 14);
    await until(() => follower.isOver(), "all is told");
    expect(follower.log()).toBe("one\ntwo\nthree\n");
    expect(follower.messages.filter(({ type }) => type === "log")).toMatchObject([
      { offset: 0, at: first },
      { offset: 6, at: expect.stringMatching(/^20/) },
    ]);
  });

  it("that isn't gzip, or becomes too large, is refused", async () => {
    const id = await begin();
    const agent = hub.agent(cluster);
    const bomb = gzipSync(Buffer.alloc(20 * 1024 * 1024));
    for (const chunk of [Buffer.from("hello"), bomb])
      await expect(agent.appendLog({ id, epoch: 1n, offset: 0n, chunk })).rejects.toThrow("COMMAND_LOG_INVALID");
    expect((await hub.get(id)).logBytes).toBe(0);
  });

  it("is followed as it grows, and ends with the command, when all of it is there", async () => {
    const id = await begin();
    await append(id, 0, "one\n");
    const following = read(id, "?follow=true");
    await append(id, 4, "two\n");
    await finish(id, 14);
    await append(id, 8, "three\n");
    expect(await append(id, 14, "after its end\n")).toMatchObject({ offset: 14 });
    expect((await following).text).toBe("one\ntwo\nthree\n");
  });
});

describe("scenario 13: a huge log", () => {
  it("is read from any offset on, and goes on to come after its command has ended", async () => {
    const id = await begin();
    const line = (index: number): string => `${String(index).padStart(9)}\n`;
    const text = (from: number, until: number): string =>
      Array.from({ length: until - from }, (_, index) => line(from + index)).join("");
    for (let from = 0; from < 500_000; from += 100_000) await append(id, from * 10, text(from, from + 100_000));
    await finish(id, 10 * 600_000);
    const ago = sql`update command set finished_at = clock_timestamp() - interval '15 minutes' where id = ${id}`;
    await ago.execute(harness.store.db);
    const following = hub.ask("GET", `/api/v1/commands/${id}/log?offset=4999990&follow=true`);
    expect(await append(id, 5_000_000, text(500_000, 600_000))).toMatchObject({ accepted: true, offset: 6_000_000 });
    expect((await following).text).toBe(text(499_999, 600_000));
    expect((await read(id, "?offset=2345670")).text).toBe(text(234_567, 600_000));
  });
});

describe("the room for logs", () => {
  it("is read by so many at once, of whom one person is a few", async () => {
    const id = await begin();
    await append(id, 0, "one\n");
    const refusals: unknown[] = [];
    const following = Array.from({ length: 11 }, async () => {
      const answer = await read(id, "?follow=true");
      if (answer.status === 429) refusals.push(answer.json);
      return answer;
    });
    await expect.poll(() => refusals.length).toBe(3);
    expect(refusals[0]).toMatchObject({ code: "COMMAND_LOG_READERS_TOO_MANY" });
    expect((await hub.ask("GET", `/api/v1/commands/${id}/log`, undefined, "bob")).text).toBe("one\n");
    await finish(id, 4);
    const texts = (await Promise.all(following)).flatMap(({ status, text }) => (status === 200 ? [text] : []));
    expect(texts).toEqual(Array(8).fill("one\n"));
  });

  it("ends with a mark that says so, and takes nothing more of that command", async () => {
    const id = await begin();
    expect(await append(id, 0, "x".repeat(900), { at: small })).toMatchObject({ accepted: true, offset: 900 });
    expect(await append(id, 900, "y".repeat(900), { at: small })).toMatchObject({ accepted: false, offset: 1_000 });
    expect(await append(id, 1_000, "z", { at: small })).toMatchObject({ accepted: false });
    expect((await read(id)).text).toBe("x".repeat(900) + "y".repeat(100) + fullMark);
  });

  it("is taken however long after the outcome, until it is as long as that says", async () => {
    const id = await begin();
    await append(id, 0, "one ");
    await finish(id, 7);
    await age(id, "3 days");
    expect(await append(id, 4, "two, and more")).toEqual({ offset: 7, accepted: true, waitMs: 0 });
    expect((await read(id)).text).toBe("one two");
    await age(id, "3 days");
    expect(await append(id, 7, "more")).toMatchObject({ offset: 7, accepted: false });
    expect((await read(id)).text).toBe("one two");
  });

  it("ends with a mark of how much is missing, when its agent has lost the rest", async () => {
    const id = await begin();
    // Of a command that goes on nobody knows yet how long its log becomes.
    expect(await append(id, 0, "one ", { isLost: true })).toMatchObject({ offset: 4, accepted: true });
    await finish(id, 100);
    expect(await append(id, 4, "two", { isLost: true })).toMatchObject({ offset: 7, accepted: false });
    expect((await read(id)).text).toBe(`one two${missingMark(93)}`);
    expect(await append(id, 7, "three", { isLost: true })).toMatchObject({ accepted: false });
    expect((await read(id)).text).toBe(`one two${missingMark(93)}`);
  });

  it("ends with a mark of how much is missing, when no agent has come with the rest for long", async () => {
    const [kept, silent, late, whole] = [await begin("a"), await begin("b"), await begin("c"), await begin("d")];
    for (const id of [kept, late, whole]) await append(id, 0, "begun");
    for (const id of [kept, silent, late]) await finish(id, 50);
    await finish(whole, 5);
    for (const id of [kept, silent, whole]) await age(id, "2 days");
    expect(await endLostLogs(harness.store.db)).toBe(2);
    expect(await endLostLogs(harness.store.db)).toBe(0);
    const texts = await Promise.all([kept, silent, late, whole].map(async (id) => (await read(id)).text));
    expect(texts).toEqual([`begun${missingMark(45)}`, missingMark(50), "begun", "begun"]);
  });

  it("is taken from a log that is long by now, when those of running commands fill the share of their cluster", async () => {
    const tight = await harness.openHub({ limits: { log: { clusterBytes: 4_000, sureBytes: 1_000 } } });
    const noise = (bytes: number): string => randomBytes(bytes).toString("base64url").slice(0, bytes);
    const [greedy, modest] = [await begin("greedy"), await begin("modest")];
    let offset = 0;
    for (let accepted = true; accepted; )
      ({ offset, accepted } = await append(greedy, offset, noise(1_000), { at: tight }));
    expect(offset).toBeGreaterThan(3_000);
    expect((await read(greedy)).text.endsWith(fullMark)).toBe(true);
    expect(await append(modest, 0, noise(500), { at: tight })).toMatchObject({ accepted: true, offset: 500 });
  });

  it("is slowed down for a cluster that sends a lot, by asking its agents to wait", async () => {
    const id = await begin();
    expect((await append(id, 0, "x".repeat(500), { at: small })).waitMs).toBe(0);
    let [offset, waitMs] = [500, 0];
    for (let times = 0; times < 5 && waitMs === 0; times++) {
      ({ offset, waitMs } = await append(id, offset, "x".repeat(90_000), { at: hub }));
      ({ waitMs } = await append(id, 0, "x".repeat(900), { at: small }));
    }
    expect(waitMs).toBeGreaterThan(0);
  });

  it("of a cluster loses the logs of commands that ended first, and no other cluster's", async () => {
    const ids: string[] = [];
    const texts: string[] = [];
    for (const set of ["a", "b", "c"]) {
      const id = await begin(set);
      // Shares are counted as logs are kept, and this can't be made smaller by half.
      texts.push(randomBytes(500).toString("hex"));
      await append(id, 0, texts.at(-1) ?? "");
      if (set !== "c") await finish(id, 1_000);
      ids.push(id);
    }
    const [own, beside] = [cluster, `c${randomUUID().slice(0, 8)}`];
    cluster = beside;
    await hub.clusters.create({ name: beside, roles: ["execute"] });
    const other = await begin();
    await append(other, 0, "o".repeat(5_000));
    await finish(other, 5_000);
    expect(await trimLogs(harness.store.db, { cluster: own, limitBytes: 1_500 })).toBe(1);
    expect(await read(ids[0] ?? "")).toMatchObject({ status: 410, json: { code: "COMMAND_LOG_GONE" } });
    expect((await read(ids[1] ?? "")).text).toBe(texts[1]);
    expect((await read(ids[2] ?? "")).text).toBe(texts[2]);
    expect((await read(other)).text).toBe("o".repeat(5_000));
  });
});

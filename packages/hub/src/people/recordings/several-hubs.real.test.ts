// The room opened several times on one database, as several hubs do.
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createMovableClock } from "@fairlead/kernel/testing";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Store } from "../../platform/store/index.ts";
import { openMemoryStore } from "../../platform/store/memory-store.fixture.ts";
import { createTestLog } from "../audit/audit.fixture.ts";
import { openRecordings, type Recordings } from "./index.ts";
import { execStart, toWebSocket } from "./recordings.fixture.ts";
import type { RecordingOptions } from "./service.ts";
import type { SessionTap } from "./types.ts";

let store: Store;
beforeAll(async () => {
  store = await openMemoryStore();
}, 60_000);
afterAll(async () => await store[Symbol.asyncDispose]());
beforeEach(async () => {
  await sql`delete from recording`.execute(store.db);
});

async function open(options: Partial<RecordingOptions> = {}): Promise<Recordings> {
  const defaults = {
    folder: undefined,
    isShared: true,
    maxBytes: 64 * 1024 * 1024,
    retentionMs: 30 * 86_400_000,
    withInput: false,
  };
  return await openRecordings({ db: store.db, log: createTestLog().log, ...defaults, ...options });
}

function print(tap: SessionTap, text: string): void {
  tap.fromCluster(toWebSocket({ side: "cluster", channel: "stdout", bytes: Buffer.from(text) }).bytes);
}

async function printed(recordings: Recordings, requestId = "req-exec"): Promise<string> {
  const text = Buffer.concat(await (await recordings.read(requestId)).toArray()).toString();
  const lines = text.trimEnd().split("\n").slice(1);
  return lines.map((line) => (JSON.parse(line) as [number, string, string])[2]).join("");
}

async function ended(recordings: Recordings, state: string): Promise<object> {
  await expect.poll(async () => (await recordings.list({})).items[0]?.state, patient).toBe(state);
  return (await recordings.list({})).items[0] ?? {};
}

describe("a recording of one of several hubs", () => {
  it("is played by any of them, while its session runs and after", async () => {
    await using one = await open();
    await using two = await open();
    const tap = one.start(execStart);
    print(tap, "hello ");
    await expect.poll(() => printed(two).catch(() => ""), patient).toBe("hello ");
    print(tap, "world");
    tap.end();

    expect(await ended(two, "complete")).toMatchObject({ requestId: "req-exec", sizeBytes: expect.any(Number) });
    expect(await printed(two)).toBe("hello world");
  });

  it("is whole however large, in pieces of a bounded size", async () => {
    await using one = await open();
    await using two = await open();
    const tap = one.start(execStart);
    let text = "";
    for (let round = 0; round < 40; round += 1) {
      const part = Array.from({ length: 5_000 }, () => Math.random().toString(36)).join("");
      print(tap, part);
      text += part;
    }
    tap.end();
    await ended(two, "complete");

    expect((await printed(two)) === text).toBe(true);
    const { rows } = await sql<{ count: number; largest: number }>`
      select count(*)::int as count, max(octet_length(bytes)) as largest from recording_piece`.execute(store.db);
    expect(rows[0]?.count).toBeGreaterThan(10);
    expect(rows[0]?.largest).toBeLessThanOrEqual(262_144);
  });

  it("whose hub died in the middle can be played, and is shown as cut off", async () => {
    const died = await open();
    const tap = died.start(execStart);
    print(tap, "until here");
    await using next = await open();
    await expect.poll(() => printed(next).catch(() => ""), patient).toBe("until here");
    expect(await ended(next, "running")).toBeDefined();
    await sql`update recording set alive_at = alive_at - interval '61 seconds'`.execute(store.db);
    await using another = await open();

    expect(await ended(another, "cut")).toMatchObject({ reason: expect.stringContaining("hub ended") });
    expect(await printed(another)).toBe("until here");
    // A hub that was only stopped finds that it isn't recorded any more, and so the session ends.
    print(tap, "and on");
    await expect.poll(() => catchCode(() => tap.fromClient(Buffer.of())), patient).toBe("RECORDING_UNWRITABLE");
    tap.end();
    expect(await printed(next)).toBe("until here");
  });

  it("isn't taken for abandoned by a hub that starts, as long as its own says that it records", async () => {
    const clock = createMovableClock(Date.now());
    await using one = await open({ clock });
    one.start(execStart);
    await ended(one, "running");
    await sql`update recording set alive_at = alive_at - interval '50 seconds'`.execute(store.db);
    clock.move(15_000);
    const isFresh = async (): Promise<boolean | undefined> =>
      (
        await sql<{ fresh: boolean }>`select alive_at > now() - interval '30 seconds' as fresh from recording`.execute(
          store.db,
        )
      ).rows[0]?.fresh;
    await expect.poll(isFresh, patient).toBe(true);
    await using two = await open();

    expect((await two.list({})).items).toMatchObject([{ state: "running" }]);
  });
});

describe("a session that can't be recorded in the database", () => {
  it("ends when the database is slower than it for long, and holds a bounded amount in memory", async () => {
    await using one = await open();
    const tap = one.start(execStart);
    await ended(one, "running");
    const held = Promise.withResolvers<void>();
    const locking = store.db.transaction().execute(async (trx) => {
      await sql`lock table recording_piece in access exclusive mode`.execute(trx);
      await held.promise;
    });
    const flood = "x".repeat(60_000);
    let code = "";
    for (let sent = 0; sent < 400 && code === ""; sent += 1) code = catchCode(() => print(tap, flood));
    held.resolve();
    await locking;

    expect(code).toBe("RECORDING_SLOW");
    tap.end();
    expect(await ended(one, "cut")).toMatchObject({ reason: expect.stringContaining("too slow") });
  });

  it("ends when the database doesn't take it", async () => {
    await using one = await open();
    const tap = one.start(execStart);
    await ended(one, "running");
    await sql`alter table recording_piece rename to gone`.execute(store.db);
    try {
      print(tap, "lost");
      await expect.poll(() => catchCode(() => tap.fromClient(Buffer.of())), patient).toBe("RECORDING_UNWRITABLE");
    } finally {
      await sql`alter table gone rename to recording_piece`.execute(store.db);
      tap.end();
    }
  });

  it("ends when its recording is full", async () => {
    await using one = await open({ maxBytes: 1_000 });
    const tap = one.start(execStart);
    print(tap, "x".repeat(600));
    expect(catchCode(() => print(tap, "x".repeat(600)))).toBe("RECORDING_TOO_LARGE");
    tap.end();
    expect(await ended(one, "cut")).toMatchObject({ reason: expect.stringContaining("1000 bytes") });
  });
});

describe("old recordings of several hubs", () => {
  it("go with their pieces, and files of before with their hub's", async () => {
    const folder = join(await mkdtemp(join(tmpdir(), "fairlead-recordings-")), "recordings");
    await mkdir(folder);
    const clock = createMovableClock(execStart.at);
    await using one = await open({ clock, folder, retentionMs: 1 * 86_400_000 });
    const file = join(folder, "old.cast");
    await writeFile(file, "{}\n");
    await utimes(file, execStart.at / 1_000, execStart.at / 1_000);
    const tap = one.start(execStart);
    print(tap, "old");
    clock.jump(1_000);
    tap.end();
    await ended(one, "complete");
    clock.jump(90_000 + 86_400_000);

    await expect.poll(async () => (await readdir(folder)).length, patient).toBe(0);
    await expect.poll(async () => (await one.list({})).items, patient).toEqual([]);
    expect((await sql`select from recording_piece`.execute(store.db)).rows).toEqual([]);
    await rm(join(folder, ".."), { recursive: true });
  });

  it("that are files are played by the hub that has them, and others say where they are", async () => {
    const folder = join(await mkdtemp(join(tmpdir(), "fairlead-recordings-")), "recordings");
    {
      await using alone = await open({ folder, isShared: false });
      const tap = alone.start(execStart);
      print(tap, "in a file");
      tap.end();
      await ended(alone, "complete");
    }
    await using one = await open({ folder });
    await using two = await open();

    expect(await printed(one)).toBe("in a file");
    await expect(two.read("req-exec")).rejects.toMatchObject({ code: "RECORDING_ELSEWHERE" });
    await rm(join(folder, ".."), { recursive: true });
  });
});

function catchCode(run: () => void): string {
  try {
    run();
    return "";
  } catch (error) {
    return (error as { code: string }).code;
  }
}

const patient = { timeout: 60_000 };

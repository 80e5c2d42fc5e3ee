import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createMovableClock } from "@fairlead/kernel/testing";
import { sql } from "kysely";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Store } from "../../platform/store/index.ts";
import { openMemoryStore } from "../../platform/store/memory-store.fixture.ts";
import { createTestLog } from "../audit/audit.fixture.ts";
import { openRecordings, type Recordings } from "./index.ts";
import { execStart, type Said, toSpdy, toWebSocket } from "./recordings.fixture.ts";
import type { RecordingOptions } from "./service.ts";
import type { SessionTap } from "./types.ts";

let store: Store;
let folder: string;
let recordings: Recordings;
beforeAll(async () => {
  store = await openMemoryStore();
}, 60_000);
afterAll(async () => await store[Symbol.asyncDispose]());
beforeEach(async () => {
  await sql`delete from recording`.execute(store.db);
  folder = join(await mkdtemp(join(tmpdir(), "fairlead-recordings-")), "recordings");
  recordings = await open();
});
afterEach(async () => {
  await recordings[Symbol.asyncDispose]();
  await rm(join(folder, ".."), { recursive: true, force: true });
});

async function open(options: Partial<RecordingOptions> = {}): Promise<Recordings> {
  const defaults = { folder, maxBytes: 1024 * 1024, retentionMs: 30 * 86_400_000, withInput: false };
  return await openRecordings({ db: store.db, log: createTestLog().log, ...defaults, ...options });
}

const session: readonly Said[] = [
  { side: "client", channel: "resize", bytes: Buffer.from('{"Width":120,"Height":40}') },
  { side: "client", channel: "stdin", bytes: Buffer.from("hunter2\n") },
  { side: "cluster", channel: "stdout", bytes: Buffer.from("grüße\r\n").subarray(0, 3) },
  { side: "cluster", channel: "stdout", bytes: Buffer.from("grüße\r\n").subarray(3) },
  { side: "cluster", channel: "stderr", bytes: Buffer.from("\u001b[31moops") },
  { side: "client", channel: "resize", bytes: Buffer.from('{"Width":80,"Height":24}') },
  { side: "cluster", channel: "error", bytes: Buffer.from('{"status":"Success"}') },
];

function play(tap: SessionTap, said: readonly Said[] = session): void {
  for (const { side, bytes } of said.map((one) => toWebSocket(one))) {
    if (side === "client") tap.fromClient(bytes);
    else tap.fromCluster(bytes);
  }
}

async function readLines(requestId = "req-exec"): Promise<unknown[]> {
  const text = Buffer.concat(await (await recordings.read(requestId)).toArray()).toString();
  return text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
}

async function ended(state: string): Promise<object> {
  await expect.poll(async () => (await recordings.list({})).items[0]?.state).toBe(state);
  return (await recordings.list({})).items[0] ?? {};
}

describe("a recording", () => {
  it("is an asciicast of what was on the screen, for the hub's eyes only, and has no input", async () => {
    const tap = recordings.start(execStart);
    play(tap);
    tap.end();
    tap.end();

    expect(await ended("complete")).toEqual({
      requestId: "req-exec",
      at: "2030-01-01T00:00:00.000Z",
      user: "alice@example.com",
      cluster: "east",
      namespace: "a",
      pod: "web",
      container: "app",
      kind: "exec",
      state: "complete",
      sizeBytes: expect.any(Number),
      durationMs: expect.any(Number),
    });
    expect(await readLines()).toEqual([
      expect.objectContaining({ version: 2, width: 120, height: 40, timestamp: 1_893_456_000 }),
      [expect.any(Number), "o", "gr"],
      [expect.any(Number), "o", "üße\r\n"],
      [expect.any(Number), "o", "\u001b[31moops"],
      [expect.any(Number), "r", "80x24"],
    ]);
    const [file = ""] = await readdir(folder);
    const modes = [(await stat(join(folder, file))).mode, (await stat(folder)).mode];
    expect(modes.map((mode) => mode & 0o777)).toEqual([0o600, 0o700]);
  });

  it("has the input where it was asked for", async () => {
    await recordings[Symbol.asyncDispose]();
    recordings = await open({ withInput: true });
    const tap = recordings.start(execStart);
    play(tap);
    tap.end();
    await ended("complete");

    expect(await readLines()).toContainEqual([expect.any(Number), "i", "hunter2\n"]);
  });

  it("is made of a session over SPDY as well", async () => {
    const tap = recordings.start({ ...execStart, upgrade: "spdy/3.1", subprotocol: "v4.channel.k8s.io" });
    for (const { side, bytes } of await toSpdy(session)) {
      if (side === "client") tap.fromClient(bytes);
      else tap.fromCluster(bytes);
    }
    tap.end();
    await ended("complete");

    expect(await readLines()).toContainEqual([expect.any(Number), "o", "\u001b[31moops"]);
  });

  it("can be read while its session runs", async () => {
    const tap = recordings.start(execStart);
    play(tap);
    await ended("running");
    await expect.poll(async () => (await readLines()).length).toBe(5);
    tap.end();
  });

  it.each(["../secret", "../secret.cast", "a/../../secret.cast", "/etc/passwd", "..", ".", ""])(
    "whose row names the file %j shows and deletes nothing outside of the folder of recordings",
    async (file) => {
      for (const name of ["secret", "secret.cast"]) await writeFile(join(folder, "..", name), "a key");
      recordings.start(execStart).end();
      await ended("complete");
      await sql`update recording set file = ${file}, at = now() - interval '99 days'`.execute(store.db);
      await expect(recordings.read("req-exec")).rejects.toMatchObject({ code: "RECORDING_NOT_FOUND" });

      const clock = createMovableClock(Date.now());
      await using sweeping = await open({ clock });
      clock.move(100_000);
      await expect.poll(async () => (await sweeping.list({})).items, { timeout: 60_000 }).toEqual([]);
      for (const name of ["secret", "secret.cast"])
        expect(await readFile(join(folder, "..", name), "utf8")).toBe("a key");
      expect(await readdir(folder)).toHaveLength(1);
    },
  );

  it("is found by request, user, cluster and time, newest first, in pages", async () => {
    for (let index = 0; index < 5; index += 1) {
      const at = execStart.at + index * 1_000;
      recordings.start({ ...execStart, requestId: `req-${index}`, at, cluster: index < 2 ? "west" : "east" }).end();
      await expect.poll(async () => (await recordings.list({})).items.length).toBe(index + 1);
    }
    const ids = async (query: object): Promise<string[]> =>
      (await recordings.list(query)).items.map(({ requestId }) => requestId);
    const page = await recordings.list({ limit: 3 });

    expect(page.items.map(({ requestId }) => requestId)).toEqual(["req-4", "req-3", "req-2"]);
    expect(await ids({ cursor: page.next })).toEqual(["req-1", "req-0"]);
    expect(await ids({ cluster: "west" })).toEqual(["req-1", "req-0"]);
    expect(await ids({ user: "bob" })).toEqual([]);
    expect(await ids({ since: "2030-01-01T00:00:03Z" })).toEqual(["req-4", "req-3"]);
    for (const id of ["req-9", "req-9\0", "../ca.key"]) {
      await expect(recordings.read(id)).rejects.toMatchObject({ code: "RECORDING_NOT_FOUND" });
    }
  });
});

describe("a session that can't be recorded", () => {
  it("doesn't begin on a hub without a disk, nor without a folder, nor in words that nobody knows", async () => {
    await using homeless = await open({ folder: undefined });
    expect(() => homeless.start(execStart)).toThrow(expect.objectContaining({ code: "RECORDING_HOMELESS" }));
    const unknown = { ...execStart, subprotocol: "v9.channel.k8s.io" };
    expect(() => recordings.start(unknown)).toThrow(expect.objectContaining({ code: "RECORDING_UNREADABLE" }));
    await rm(folder, { recursive: true });
    expect(() => recordings.start(execStart)).toThrow(expect.objectContaining({ code: "RECORDING_UNWRITABLE" }));
    expect((await recordings.list({})).items).toEqual([]);
  });

  it("ends when its recording is full, and stays ended", async () => {
    await recordings[Symbol.asyncDispose]();
    recordings = await open({ maxBytes: 1_000 });
    const tap = recordings.start(execStart);
    const flood: Said = { side: "cluster", channel: "stdout", bytes: Buffer.alloc(600, "x") };
    play(tap, [flood]);
    expect(() => play(tap, [flood])).toThrow(expect.objectContaining({ code: "RECORDING_TOO_LARGE" }));
    expect(() => tap.fromClient(Buffer.of())).toThrow(expect.objectContaining({ code: "RECORDING_TOO_LARGE" }));
    tap.end();

    expect(await ended("cut")).toMatchObject({ reason: expect.stringContaining("1000 bytes") });
    expect(await readLines()).toHaveLength(2);
  });

  it("ends when the store doesn't take it, whoever says something next", async () => {
    await sql`alter table recording rename to gone`.execute(store.db);
    const tap = recordings.start(execStart);
    try {
      await expect.poll(() => catchCode(() => tap.fromClient(Buffer.of()))).toBe("RECORDING_UNWRITABLE");
    } finally {
      await sql`alter table gone rename to recording`.execute(store.db);
      tap.end();
    }
  });

  it("is marked as cut when its hub was killed", async () => {
    recordings.start(execStart);
    await ended("running");
    await using next = await open();

    expect((await next.list({})).items).toMatchObject([{ state: "cut", reason: expect.stringContaining("hub ended") }]);
  });
});

describe("old recordings", () => {
  it("go, with their files", async () => {
    const clock = createMovableClock(execStart.at);
    await recordings[Symbol.asyncDispose]();
    recordings = await open({ clock, retentionMs: 1 * 86_400_000 });
    recordings.start(execStart).end();
    await ended("complete");
    recordings.start({ ...execStart, requestId: "young", at: execStart.at + 2 * 86_400_000 }).end();
    await expect.poll(async () => (await recordings.list({})).items.length).toBe(2);
    clock.jump(90_000 + 86_400_000);

    await expect.poll(async () => (await readdir(folder)).length).toBe(1);
    expect((await recordings.list({})).items).toMatchObject([{ requestId: "young" }]);
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

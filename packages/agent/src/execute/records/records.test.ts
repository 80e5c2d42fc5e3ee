import { mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSkippingClock } from "@fairlead/kernel/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { executeErrors } from "../errors.ts";
import { createFileRecords } from "./file-records.ts";
import { type OpenRecordOptions, openRecord } from "./record-keeper.ts";
import type { RecordStore } from "./types.ts";

let folder = "";
let store: RecordStore;
const { signal } = new AbortController();
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "fairlead-records-"));
  store = createFileRecords({ folder: join(folder, "commands") });
});
afterEach(() => rm(folder, { recursive: true }));

const open = (epoch: number, more: Partial<OpenRecordOptions> = {}): ReturnType<typeof openRecord> =>
  openRecord({
    store,
    id: "cmd_1",
    epoch,
    kind: "manifests",
    expiresAtMs: 5,
    clock: createSkippingClock(),
    signal,
    onUnknown: () => undefined,
    ...more,
  });

test("what was written is there for the next claim, and the one before writes no more", async () => {
  const first = await open(1);
  await first.write({ is: "open", state: { done: 1 } }, signal);
  const second = await open(2);
  expect(second.life).toEqual({ is: "open", state: { done: 1 } });
  await expect(first.write({ is: "open", state: { done: 2 } }, signal)).rejects.toMatchObject({
    code: "COMMAND_LEASE_LOST",
  });
  await expect(open(1)).rejects.toMatchObject({ code: "COMMAND_LEASE_LOST" });
  await second.write({ is: "open", state: { done: 3 } }, signal);
  await expect(store.find("cmd_1", signal)).resolves.toMatchObject({
    record: { epoch: 2, life: { state: { done: 3 } } },
  });
});

test("an id that comes again for something else is refused, and what is on record stays as it was", async () => {
  const first = await open(1, { asked: "a" });
  await first.write({ is: "open", state: { done: 1 } }, signal);
  await expect(open(2, { asked: "b" })).rejects.toMatchObject({ code: "COMMAND_CHANGED" });
  await expect(store.find("cmd_1", signal)).resolves.toMatchObject({ record: { epoch: 1, asked: "a" } });
  const next = await open(3, { asked: "a" });
  expect(next.life).toEqual({ is: "open", state: { done: 1 } });
  // Put back to before its first claim: the epochs begin anew, and so does nothing.
  await expect(open(1, { asked: "b" })).rejects.toMatchObject({ code: "COMMAND_CHANGED" });
  await expect(open(1, { asked: "a" })).rejects.toMatchObject({ code: "COMMAND_LEASE_LOST" });
});

test("of two that write at once under different epochs, the higher one's state stays", async () => {
  for (let round = 0; round < 20; round++) {
    const id = `cmd_${round}`;
    const low = await open(1, { id });
    const high = await open(2, { id });
    await Promise.allSettled(
      [low, high, low, high].map((keeper, index) => keeper.write({ is: "open", state: index }, signal)),
    );
    const stored = await store.find(id, signal);
    expect(stored?.record).toMatchObject({ epoch: 2, life: { state: 3 } });
  }
});

test("a record that somebody removed isn't made anew by a run that knew it", async () => {
  const keeper = await open(1);
  await store.remove("cmd_1", signal);
  await expect(keeper.write({ is: "open", state: 1 }, signal)).rejects.toMatchObject({ code: "COMMAND_LEASE_LOST" });
  await expect(store.list(signal)).resolves.toEqual([]);
});

test("a store that is away is asked again, also when a write took effect and its answer was lost", async () => {
  const away = executeErrors.COMMAND_RECORD_FAILED({ place: "x", reason: "away" });
  let left = 6;
  const flaky: RecordStore = {
    ...store,
    async write(written, over, writeSignal) {
      left--;
      if (left % 2 === 0 && left > 0) throw away;
      const version = await store.write(written, over, writeSignal);
      if (left > 0) throw away;
      return version;
    },
  };
  const keeper = await open(1, { store: flaky });
  left = 6;
  await keeper.write({ is: "open", state: "kept" }, signal);
  await expect(store.find("cmd_1", signal)).resolves.toMatchObject({ record: { life: { state: "kept" } } });
});

test("a store that refuses isn't asked again, and an unknown command can be refused before anything is written", async () => {
  const refused = executeErrors.COMMAND_RECORD_FAILED({ place: "x", reason: "forbidden", retryable: false });
  const closed = { ...store, write: () => Promise.reject(refused) };
  await expect(open(1, { store: closed })).rejects.toBe(refused);
  const late = executeErrors.COMMAND_EXPIRED();
  const onUnknown = (): never => {
    throw late;
  };
  await expect(open(1, { onUnknown })).rejects.toBe(late);
  await expect(store.list(signal)).resolves.toEqual([]);
});

test("files are their owner's alone, one for each record, and one that is broken hides no other", async () => {
  for (let epoch = 1; epoch < 4; epoch++) await open(epoch);
  await open(1, { id: "cmd_2" });
  const names = await readdir(join(folder, "commands"));
  expect(names.sort()).toEqual(["cmd_1.3.json.gz", "cmd_2.1.json.gz"]);
  for (const name of names) expect((await stat(join(folder, "commands", name))).mode & 0o777).toBe(0o600);
  expect((await stat(join(folder, "commands"))).mode & 0o777).toBe(0o700);
  await writeFile(join(folder, "commands", "cmd_3.1.json.gz"), "broken");
  expect((await store.list(signal)).map((found) => found.record.id).sort()).toEqual(["cmd_1", "cmd_2"]);
  await expect(store.find("cmd_3", signal)).rejects.toMatchObject({ code: "COMMAND_RECORD_INVALID" });
});

test("more than a record holds is refused", async () => {
  const keeper = await open(1);
  await expect(keeper.write({ is: "open", state: "x".repeat(33 * 1024 * 1024) }, signal)).rejects.toMatchObject({
    code: "COMMAND_STATE_TOO_LARGE",
  });
  await keeper.write({ is: "open", state: "less" }, signal);
});

// A journal on a disk that fails for a while. The failures are made: what the file holds afterwards is the question here.
import { type FileHandle, mkdtemp, open, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "@fairlead/kernel";
import { beforeEach, expect, it, vi } from "vitest";
import { openMemoryStore } from "../../platform/store/memory-store.fixture.ts";
import { createTestLog } from "./audit.fixture.ts";
import { type Journal, openJournal } from "./journal.ts";
import { createAuditStore } from "./store.ts";
import { firstChain } from "./types.ts";

let path: string;
let journal: Journal;
let fileType: FileHandle;
beforeEach(async () => {
  await using undo = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), "fairlead-journal-"));
  undo.defer(() => rm(folder, { recursive: true, force: true }));
  const store = undo.use(await openMemoryStore());
  path = join(folder, "journal.jsonl");
  await using probe = await open(join(folder, "probe"), "w");
  fileType = Object.getPrototypeOf(probe);
  const options = { path, store: createAuditStore(store.db), clock: systemClock, log: createTestLog().log };
  const opened = await openJournal({ ...options, chain: firstChain, head: { seq: 0, hash: "0".repeat(64) } });
  if (opened.journal === undefined) throw new Error("there is no journal");
  journal = undo.use(opened.journal);
  const release = undo.move();
  return () => release.disposeAsync();
});

it("is whole again after a write that stopped halfway and couldn't even be cut away", async () => {
  expect(await journal.append(["one"], 1)).toBe(true);
  const write = fileType.appendFile;
  vi.spyOn(fileType, "appendFile").mockImplementationOnce(async function (this: FileHandle) {
    await write.call(this, "tw");
    throw failure;
  });
  vi.spyOn(fileType, "truncate").mockRejectedValueOnce(failure);
  expect(await journal.append(["two"], 2)).toBe(false);
  expect(await journal.append(["three"], 3)).toBe(true);
  expect(await readFile(path, "utf8")).toBe("one\ntwo\nthree\n");
});

it("writes what couldn't be synced before what comes next, unless the store has taken it", async () => {
  const sync = vi.spyOn(fileType, "datasync");
  for (const [line, seq] of [
    ["one", 1],
    ["two", 2],
  ] as const) {
    sync.mockRejectedValueOnce(failure);
    expect(await journal.append([line], seq)).toBe(false);
    expect(await readFile(path, "utf8")).toBe("");
  }
  journal.stored(1);
  expect(await journal.append(["three"], 3)).toBe(true);
  expect(await readFile(path, "utf8")).toBe("two\nthree\n");
});

const failure = Object.assign(new Error("EIO: i/o error"), { code: "EIO" });

import { appendFile, mkdtemp, readdir, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "@fairlead/kernel";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createLogger } from "../../platform/telemetry/index.ts";
import { createSpill, takeSpills } from "./hand-over.ts";
import type { Entry } from "./types.ts";

let folder: string;
const log = createLogger({ level: "silent", name: "test" });
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "fairlead-spill-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test("records are taken once, when their hub has written the last of them", async () => {
  const spill = createSpill(folder);
  await spill.write([entry("one"), entry("two")]);
  const taken: Entry[] = [];
  const take = async (entries: readonly Entry[]): Promise<void> => void taken.push(...entries);
  {
    await using _early = takeSpills({ folder, take, clock: systemClock, log });
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  expect(taken).toEqual([]);
  await spill.write([entry("three")]);
  await spill.finish();
  {
    await using _late = takeSpills({ folder, take, clock: systemClock, log });
    await vi.waitFor(() => expect(taken).toEqual(["one", "two", "three"].map(entry)), { timeout: 60_000 });
  }
  expect(await readdir(folder)).toEqual([]);
});

test("what a killed hub left is taken after hours, without its torn last line", async () => {
  const path = join(folder, "a.jsonl.part");
  await writeFile(path, `${JSON.stringify(entry("whole"))}\n`);
  await appendFile(path, '{"at":1,"pha');
  const long = new Date(Date.now() - 3 * 3_600_000);
  await utimes(path, long, long);
  const taken: Entry[] = [];
  const take = async (entries: readonly Entry[]): Promise<void> => void taken.push(...entries);
  await using _taking = takeSpills({ folder, take, clock: systemClock, log });
  await vi.waitFor(() => expect(taken).toEqual([entry("whole")]), { timeout: 60_000 });
});

test("a hub that had nothing left to say leaves nothing", async () => {
  await createSpill(folder).finish();
  expect(await readdir(folder)).toEqual([]);
});

function entry(requestId: string): Entry {
  const start = { requestId, at: 1, remoteAddress: "", userAgent: "", cluster: "", method: "GET", path: "/" };
  return { at: 2, phase: "end", start: { ...start, isLong: false } };
}

import { appendFile, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Clock, systemClock } from "@fairlead/kernel";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Store } from "../store/index.ts";
import { openMemoryStore } from "../store/memory-store.fixture.ts";
import { createTestLog, done, forgetRecords, startOf } from "./audit.fixture.ts";
import { type Audit, openAudit } from "./index.ts";

let store: Store;
let folder: string;
let journalFile: string;
beforeAll(async () => {
  store = await openMemoryStore();
}, 60_000);
afterAll(async () => await store[Symbol.asyncDispose]());
beforeEach(async () => {
  await forgetRecords(store);
  folder = await mkdtemp(join(tmpdir(), "fairlead-journal-"));
  journalFile = join(folder, "journal.jsonl");
  return () => rm(folder, { recursive: true, force: true });
});

/** The moment at which records go from the journal to the store never comes. */
const patient: Clock = {
  now: () => systemClock.now(),
  after: (delayMs, callback) => (delayMs === 1_000 ? () => undefined : systemClock.after(delayMs, callback)),
};

async function open(log = createTestLog().log): Promise<Audit> {
  return await openAudit({ db: store.db, log, clock: patient, journalFile });
}

async function linesOf(path = journalFile): Promise<readonly string[]> {
  return (await readFile(path, "utf8")).split("\n").slice(0, -1);
}

/** As one leaves behind that is killed: its records are in the journal and not in the store. */
async function record(audit: Audit, count: number): Promise<void> {
  for (let index = 1; index <= count; index += 1) audit.begin(startOf({ requestId: `req-${index}` })).end(done);
  await expect.poll(async () => (await linesOf()).length, { timeout: 20_000 }).toBe(count);
  expect(audit.counters).toMatchObject({ kept: 0, waiting: count });
}

describe("records that a killed hub had made", () => {
  it("are there after the next start, in the same chain", async () => {
    await record(await open(), 10);
    await appendFile(journalFile, '{"seq":11,"at":"20');

    await using next = await open();
    next.begin(startOf()).end(done);

    expect(await next.verify()).toMatchObject({ ok: true, records: 11 });
    const { items } = await next.feed.list({
      user: "alice@example.com",
      cluster: "east",
      since: "2000-01-01T00:00:00Z",
    });
    expect(items.map(({ requestId }) => requestId).slice(-2)).toEqual(["req-2", "req-1"]);
  });

  it("are taken once, when some or all of them are in the store already", async () => {
    const killed = await open();
    await record(killed, 3);
    const early = await linesOf();
    await killed.flush();
    expect(await linesOf()).toEqual([]);
    killed.begin(startOf()).end(done);
    await expect.poll(async () => (await linesOf()).length, { timeout: 20_000 }).toBe(1);
    await writeFile(journalFile, [...early, ...(await linesOf()), ""].join("\n"));

    {
      await using next = await open();
      expect(await next.verify()).toMatchObject({ ok: true, records: 4 });
    }
    await using another = await open();
    expect(await another.verify()).toMatchObject({ ok: true, records: 4 });
  });

  it.each([
    ["are of another chain", (lines: readonly string[]) => lines.map((line) => line.replace("alice", "mallory"))],
    ["miss one", (lines: readonly string[]) => lines.slice(1)],
  ])("are kept aside when they %s, and an error is logged", async (_, change) => {
    await record(await open(), 3);
    const odd = change(await linesOf());
    await writeFile(journalFile, `${odd.join("\n")}\n`);
    const { log, lines } = createTestLog();

    await using next = await open(log);

    expect(await next.verify()).toMatchObject({ ok: true, records: 0 });
    const aside = (await readdir(folder)).find((name) => name.startsWith("journal.jsonl."));
    expect(await linesOf(join(folder, aside ?? ""))).toEqual(odd);
    expect(lines.join("")).toContain("doesn't go with the store");
  });
});

describe("a record in the journal", () => {
  it("is seen at once by who asks, and by who follows", async () => {
    await using audit = await open();
    audit.begin(startOf({ requestId: "one" })).end(done);
    expect((await audit.feed.list({})).items).toMatchObject([{ requestId: "one" }]);

    const follower = audit.feed.follow({ since: "2000-01-01T00:00:00Z" }, AbortSignal.timeout(20_000));
    expect((await follower.next()).value).toHaveLength(1);
    audit.begin(startOf({ requestId: "two" })).end(done);
    expect((await follower.next()).value?.[0]).toContain('"requestId":"two"');
    await follower.return(undefined);

    audit.begin(startOf({ requestId: "three" })).end(done);
    await expect.poll(async () => (await linesOf()).length, { timeout: 20_000 }).toBe(1);
    expect(audit.counters).toMatchObject({ kept: 2, waiting: 1 });
  });

  it("goes to the store when there are many", async () => {
    await using audit = await open();
    for (let index = 0; index < 1_100; index += 1) audit.begin(startOf()).end(done);
    await expect.poll(() => audit.counters.kept, { timeout: 20_000 }).toBeGreaterThanOrEqual(1_024);
  });
});

it("goes straight to the store when there can be no journal", async () => {
  const { log, lines } = createTestLog();
  journalFile = join(folder, "missing", "journal.jsonl");
  await using audit = await open(log);
  audit.begin(startOf()).end(done);
  await expect.poll(() => audit.counters.kept, { timeout: 20_000 }).toBe(1);
  expect(lines.join("")).toContain("the journal of audit records can't be used");
});

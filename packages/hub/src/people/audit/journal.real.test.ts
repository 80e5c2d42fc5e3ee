import { appendFile, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Clock, systemClock } from "@fairlead/kernel";
import { sql } from "kysely";
import { beforeEach, describe, expect, it } from "vitest";
import { createTestLog, done, startOf, useAuditHarness } from "./audit.fixture.ts";
import type { Audit } from "./index.ts";
import { createAuditStore } from "./store.ts";
import { firstChain } from "./types.ts";

const harness = useAuditHarness();
let folder: string;
let journalFile: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "fairlead-journal-"));
  journalFile = join(folder, "journal.jsonl");
  return () => rm(folder, { recursive: true, force: true });
});

/** The moment at which records go from the journal to the store never comes. */
const patient: Clock = {
  ...systemClock,
  after: (delayMs, callback) => (delayMs === 1_000 ? () => undefined : systemClock.after(delayMs, callback)),
};

async function open(log = createTestLog().log): Promise<Audit> {
  return await harness.open({ log, clock: patient, journalFile });
}

async function linesOf(path = journalFile): Promise<readonly string[]> {
  return (await readFile(path, "utf8")).split("\n").slice(0, -1);
}

/** As one leaves behind that is killed: its records are in the journal and not in the harness.store. */
async function record(audit: Audit, count: number): Promise<void> {
  for (let index = 1; index <= count; index += 1) audit.begin(startOf({ requestId: `req-${index}` })).end(done);
  await expect.poll(async () => (await linesOf()).length).toBe(count);
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
    // They stay: the store took them, which doesn't say that they are on disk there.
    expect(await linesOf()).toEqual(early);
    killed.begin(startOf()).end(done);
    await expect.poll(async () => (await linesOf()).length).toBe(4);

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

describe("a journal that is torn, as after a power cut,", () => {
  it.each([
    ["in half a line", '{"seq":11,"at":"20'],
    ["in zeros", "\0".repeat(4096)],
    ["in half a line and zeros", `{"seq":11,"at":"20${"\0".repeat(100)}\n`],
    ["in another file's bytes", "PNG\n\u0001\u0002\n"],
  ])("is cut behind its last whole record, which is told: %s", async (_, tail) => {
    await record(await open(), 10);
    const whole = await linesOf();
    await appendFile(journalFile, tail);
    const { log, lines } = createTestLog();

    await using next = await open(log);

    expect(await readFile(journalFile, "utf8")).toBe(`${whole.join("\n")}\n`);
    expect(lines.join("")).toContain("ALARM");
    const aside = (await readdir(folder)).find((name) => name.startsWith("journal.jsonl.torn-")) ?? "";
    expect(await readFile(join(folder, aside), "utf8")).toBe(tail);
    next.begin(startOf()).end(done);
    expect(await next.verify()).toMatchObject({ ok: true, records: 11 });
  });
});

describe("a store that lost what it had taken, as one that is restored from a backup,", () => {
  it("gets it again from the journal", async () => {
    const killed = await open();
    await record(killed, 5);
    await killed.flush();
    expect(killed.counters.kept).toBe(5);
    await harness.forgetRecords();

    await using next = await open();
    expect(await next.verify()).toMatchObject({ ok: true, records: 5 });
  });

  it("gets it from the older of two files as well, and no file grows without end", async () => {
    const killed = await open();
    for (let turn = 0; turn < 12; turn += 1) {
      for (let index = 0; index < 500; index += 1) killed.begin(startOf()).end(done);
      await killed.flush();
    }
    const [older, newer] = [await linesOf(`${journalFile}.1`), await linesOf()];
    expect(older.length + newer.length).toBeLessThan(6_000);
    for (const lines of [older, newer]) expect(lines.join("").length).toBeLessThan(3 * 1024 * 1024);
    const olderSeq = Number(/"seq":(\d+),/.exec(older[0] ?? "")?.[1]);
    // The store lost every block that begins in one of the two.
    const lost = await sql<{ first: string }>`
      select min(first_seq) as first from audit_block where first_seq >= ${olderSeq}`.execute(harness.store.db);
    const kept = Number(lost.rows[0]?.first) - 1;
    await sql`delete from audit_block where first_seq > ${kept}`.execute(harness.store.db);
    const { items } = await killed.feed.list({ limit: 1 });
    expect(items).toHaveLength(1);
    const [last] = await createAuditStore(harness.store.db)
      .chain(firstChain)
      .read({ seq: kept, direction: "older", limit: 1 });
    await sql`update audit_head set last_seq = ${kept}, last_hash = ${last?.lastHash ?? ""}`.execute(harness.store.db);

    await using next = await open();
    expect(await next.verify()).toMatchObject({ ok: true, records: 6_000 });
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
    await expect.poll(async () => (await linesOf()).length).toBe(3);
    expect(audit.counters).toMatchObject({ kept: 2, waiting: 1 });
  });

  it("goes to the store when there are many", async () => {
    await using audit = await open();
    for (let index = 0; index < 1_100; index += 1) audit.begin(startOf()).end(done);
    await expect.poll(() => audit.counters.kept).toBeGreaterThanOrEqual(1_024);
  });
});

it("goes straight to the store when there can be no journal", async () => {
  const { log, lines } = createTestLog();
  journalFile = join(folder, "missing", "journal.jsonl");
  await using audit = await open(log);
  audit.begin(startOf()).end(done);
  await expect.poll(() => audit.counters.kept).toBe(1);
  expect(lines.join("")).toContain("the journal of audit records can't be used");
});

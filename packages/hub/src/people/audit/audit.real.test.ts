import { setTimeout as sleep } from "node:timers/promises";
import type { AuditRecord } from "@fairlead/contract";
import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { done, startOf, unknown, useAuditHarness } from "./audit.fixture.ts";
import type { Audit } from "./index.ts";

const harness = useAuditHarness();
let audit: Audit;
beforeEach(async () => {
  audit = await harness.open();
});
afterEach(async () => {
  await audit[Symbol.asyncDispose]();
});

/** So many requests of alice, one after another, each kept before the next. */
/** Each at a time of its own: times of records are in milliseconds. */
async function recordSome(count: number, each: (index: number) => object = () => ({})): Promise<void> {
  for (let index = 1; index <= count; index += 1) {
    const beganMs = Date.now();
    audit.begin(startOf({ requestId: `req-${index}`, ...each(index) })).end(done);
    await audit.flush();
    while (Date.now() === beganMs) await sleep(1);
  }
}

describe("a record", () => {
  it("says who did what from where, how it ended and how long it took", async () => {
    const start = startOf({ actingAs: "bob", kubectlCommand: "kubectl get", kubectlSession: "s-1" });
    audit.begin(start).end({ ...done, status: 403, code: "ACCESS_DENIED", reason: "no role" });

    const { items } = await audit.feed.list({});

    expect(items).toEqual([
      {
        seq: 1,
        at: expect.stringMatching(/^\d{4}-.*Z$/),
        phase: "end",
        requestId: "req-1",
        who: { kind: "user", name: "alice@example.com", uid: "u1", sessionId: "ses_1" },
        actingAs: "bob",
        from: "192.0.2.7",
        userAgent: "kubectl/v1.36.0",
        cluster: "east",
        method: "GET",
        verb: "list",
        resource: "pods",
        namespace: "a",
        path: "/api/v1/namespaces/a/pods",
        status: 403,
        code: "ACCESS_DENIED",
        reason: "no role",
        bytesToCluster: 1,
        bytesFromCluster: 2,
        durationMs: 3,
        kubectlCommand: "kubectl get",
        kubectlSession: "s-1",
        hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      },
    ]);
  });

  it("is made at the beginning, too, of what may take long, and once at the end", async () => {
    const trail = audit.begin(startOf({ isLong: true, at: Date.now() - 1 }));
    await Promise.resolve();
    expect((await audit.feed.list({})).items).toMatchObject([{ phase: "start", requestId: "req-1" }]);
    trail.end(done);
    trail.end({ ...done, status: 500 });

    const { items } = await audit.feed.list({});

    expect(items.map(({ phase, status }) => [phase, status])).toEqual([
      ["end", 200],
      ["start", undefined],
    ]);
  });

  it("isn't made at the beginning of what is refused at once", async () => {
    audit.begin(startOf({ isLong: true })).end({ ...done, status: 403 });

    expect((await audit.feed.list({})).items.map(({ phase }) => phase)).toEqual(["end"]);
  });

  it("takes any text, and keeps it short", async () => {
    const path = `/\0\ud800"\\\n${"x".repeat(10_000)}`;
    audit.begin(startOf({ path, userAgent: "Bearer abcdefghijkl", cluster: "e\0ast" })).end(done);

    const [item] = (await audit.feed.list({ cluster: "east" })).items;

    expect(item?.path).toBe(`${path.slice(0, 2_047)}…`);
    expect(item?.userAgent).toBe("Bearer [redacted]");
    expect(await audit.verify()).toMatchObject({ ok: true });
  });

  it("names the refused request that it tries again in another way", async () => {
    const exec = { verb: "create", apiGroup: "", resource: "pods", subresource: "exec", namespace: "a", name: "web" };
    const webSocket = { attributes: exec, kubectlSession: "s-1", requestId: "ws" };
    audit.begin(startOf(webSocket)).end({ ...done, status: 403 });
    const now = Date.now();
    const spdy = { ...webSocket, method: "POST", at: now };
    audit.begin(startOf({ ...spdy, requestId: "other", kubectlSession: "s-2" })).end(done);
    audit.begin(startOf({ ...spdy, requestId: "late", at: now + 61_000, cluster: "west" })).end(done);
    audit.begin(startOf({ ...spdy, requestId: "spdy" })).end({ ...done, status: 403 });
    audit.begin(startOf({ ...spdy, requestId: "again" })).end(done);

    const { items } = await audit.feed.list({});

    expect(Object.fromEntries(items.map(({ requestId, correlates }) => [requestId, correlates]))).toEqual({
      ws: undefined,
      other: undefined,
      late: undefined,
      again: undefined,
      spdy: "ws",
    });
  });
});

describe("a flood", () => {
  it("of unknown callers is one record for the first and one for the rest of each", async () => {
    for (let index = 0; index < 500; index += 1) {
      audit.begin(startOf({ ...unknown, remoteAddress: `192.0.2.${index % 2}` })).end({ ...done, status: 401 });
    }
    await audit[Symbol.asyncDispose]();
    audit = await harness.open();

    const { items } = await audit.feed.list({ user: "unknown" });

    expect(items.map(({ from, count, status }) => [from, count, status])).toEqual([
      ["192.0.2.1", 249, 401],
      ["192.0.2.0", 249, 401],
      ["192.0.2.1", undefined, 401],
      ["192.0.2.0", undefined, 401],
    ]);
  });

  it("of what someone known may not do has a hundred records, and one for the rest", async () => {
    for (let index = 0; index < 5_000; index += 1) {
      const start = startOf({ cluster: `c${index}`, path: `/api/v1/namespaces/n${index}/pods` });
      audit.begin(start).end({ ...done, status: 403, code: "PROXY_ACCESS_DENIED" });
      // The cluster's own word, which it was asked for.
      if (index % 1_000 === 0) audit.begin(start).end({ ...done, status: 403 });
    }
    await audit[Symbol.asyncDispose]();
    audit = await harness.open();

    expect(await audit.verify()).toMatchObject({ ok: true, records: 106 });
    expect((await audit.feed.list({ limit: 1 })).items).toMatchObject([{ cluster: "c4999", count: 4_900 }]);
  });

  it("from countless addresses takes no more than a bounded number of records", async () => {
    for (let index = 0; index < 5_000; index += 1) {
      audit.begin(startOf({ ...unknown, remoteAddress: `a${index}` })).end({ ...done, status: 401 });
    }
    await audit[Symbol.asyncDispose]();
    audit = await harness.open();

    expect(await audit.verify()).toMatchObject({ ok: true, records: 1_001 });
    expect((await audit.feed.list({ limit: 1 })).items).toMatchObject([{ from: "*", count: 4_000 }]);
  });
});

describe("records that can't be kept", () => {
  it("stop what would be recorded, until the store is back, and none is lost", async () => {
    await audit[Symbol.asyncDispose]();
    audit = await harness.open({ maxWaiting: 100 });
    await sql`alter table audit_head rename to gone`.execute(harness.store.db);
    for (let index = 0; index < 100; index += 1) audit.begin(startOf()).end(done);
    expect(() => audit.begin(startOf())).toThrow(
      expect.objectContaining({ code: "AUDIT_UNAVAILABLE", httpStatus: 503 }),
    );
    await expect.poll(() => audit.counters.failures).toBeGreaterThan(0);
    await sql`alter table gone rename to audit_head`.execute(harness.store.db);

    await expect.poll(() => audit.counters).toMatchObject({ kept: 100, waiting: 0 });
    audit.begin(startOf()).end(done);
    await audit.flush();

    expect(await audit.verify()).toMatchObject({ ok: true, records: 101, lastSeq: 101 });
  });

  it("don't stop anything where they aren't required", async () => {
    await audit[Symbol.asyncDispose]();
    audit = await harness.open({ maxWaiting: 0, isRequired: false });

    audit.begin(startOf()).end(done);

    expect(audit.counters).toMatchObject({ dropped: 1, refused: 0 });
  });

  it("stop everything when another hub writes to the same store", async () => {
    const other = await harness.open();
    other.begin(startOf()).end(done);
    await other[Symbol.asyncDispose]();

    audit.begin(startOf()).end(done);
    await audit.flush();

    expect(() => audit.begin(startOf())).toThrow(expect.objectContaining({ code: "AUDIT_UNAVAILABLE" }));
  });

  it("are kept before an ordered stop ends", async () => {
    for (let index = 0; index < 3_000; index += 1) audit.begin(startOf()).end(done);
    await audit[Symbol.asyncDispose]();
    audit = await harness.open();

    expect(await audit.verify()).toMatchObject({ ok: true, records: 3_000, firstSeq: 1, lastSeq: 3_000 });
  });
});

describe("a list", () => {
  it("is filtered by who, cluster, verb and time", async () => {
    await recordSome(6, (index) => ({
      principal: { kind: "user", name: index % 2 === 0 ? "alice" : "bob", uid: "u" },
      cluster: index < 4 ? "east" : "",
      attributes: { ...startOf().attributes, verb: index === 1 ? "watch" : "get" },
    }));
    const ids = async (query: object): Promise<string[]> =>
      (await audit.feed.list(query)).items.map(({ requestId }) => requestId);
    const [, , third] = (await audit.feed.list({})).items.toReversed();

    expect(await ids({ user: "bob" })).toEqual(["req-5", "req-3", "req-1"]);
    expect(await ids({ user: "bob", cluster: "east" })).toEqual(["req-3", "req-1"]);
    expect(await ids({ verb: "watch" })).toEqual(["req-1"]);
    expect(await ids({ since: third?.at ?? "" })).toEqual(["req-6", "req-5", "req-4", "req-3"]);
    expect(await ids({ until: third?.at ?? "" })).toEqual(["req-2", "req-1"]);
    expect(await ids({ user: "nobody" })).toEqual([]);
  });

  it("comes in pages that follow on one another whatever is recorded meanwhile", async () => {
    for (let index = 0; index < 70; index += 1) audit.begin(startOf()).end(done);
    const seqs: number[] = [];
    for (let cursor: string | undefined, pages = 0; pages === 0 || cursor !== undefined; pages += 1) {
      const page = await audit.feed.list({ limit: 20, ...(cursor && { cursor }) });
      seqs.push(...page.items.map(({ seq }) => seq));
      cursor = page.next;
      audit.begin(startOf()).end(done);
      expect(pages).toBeLessThan(5);
    }

    expect(seqs).toEqual(Array.from({ length: 70 }, (_, index) => 70 - index));
  });
});

describe("a follower", () => {
  it("gets every record from a time on, those of the past and those to come, in order", async () => {
    await recordSome(3);
    const gone = new AbortController();
    const records: AuditRecord[] = [];
    const following = (async () => {
      for await (const lines of audit.feed.follow({ since: "2000-01-01T00:00:00Z" }, gone.signal)) {
        records.push(...lines.map((line) => JSON.parse(line) as AuditRecord));
      }
    })();
    for (let index = 0; index < 1_000; index += 1) audit.begin(startOf()).end(done);

    await expect.poll(() => records.length).toBe(1_003);
    gone.abort();
    await following;

    expect(records.map(({ seq }) => seq)).toEqual(Array.from({ length: 1_003 }, (_, index) => index + 1));
  });

  it("that is slow reads on from where it was, though memory has moved on", async () => {
    const follower = audit.feed.follow({ verb: "list" }, AbortSignal.timeout(20_000));
    const first = follower.next();
    await recordSome(1);
    expect((await first).value).toHaveLength(1);
    for (let index = 0; index < 9_000; index += 1) audit.begin(startOf()).end(done);
    await expect.poll(() => audit.counters.waiting).toBe(0);

    const seqs: number[] = [];
    while (seqs.length < 9_000) {
      const { value } = await follower.next();
      seqs.push(...(value ?? []).map((line: string) => (JSON.parse(line) as AuditRecord).seq));
    }

    expect(seqs).toEqual(Array.from({ length: 9_000 }, (_, index) => index + 2));
  });
});

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { AuditRecord } from "@fairlead/contract";
import { expect, test } from "vitest";
import { createCli } from "../../testing/cli.fixture.ts";
import { hubNow, startContractHub } from "../../testing/hub.fixture.ts";
import { followRecords } from "./follow.ts";

function makeRecord(seq: number, more: Partial<AuditRecord> = {}): AuditRecord {
  return {
    seq,
    at: new Date(hubNow + seq * 1000).toISOString(),
    phase: "end",
    requestId: `req_${seq}`,
    who: { kind: "user", name: "alice@example.com" },
    from: "192.0.2.1",
    cluster: "east",
    method: "GET",
    verb: "get",
    resource: "pods",
    namespace: "shop",
    name: "web-0",
    path: "/api/v1/namespaces/shop/pods/web-0",
    status: 200,
    durationMs: 12.4,
    hash: `hash${seq}`,
    ...more,
  };
}

async function signedIn() {
  const undo = new AsyncDisposableStack();
  const hub = undo.use(await startContractHub());
  const cli = undo.use(await createCli());
  await cli.signIn(hub);
  return { hub, cli, [Symbol.asyncDispose]: () => undo.disposeAsync() };
}

test("records are read page by page from the newest, and told from the oldest", async () => {
  await using at = await signedIn();
  const query = "user=alice%40example.com&cluster=east&since=2026-05-06T05%3A08%3A09.000Z&verb=create";
  const [page, next] = [`GET /api/v1/audit?${query}&limit=3`, `GET /api/v1/audit?${query}&cursor=3&limit=1`];
  at.hub.routes.set(page, () => ({ status: 200, body: { items: [makeRecord(4), makeRecord(3)], next: "3" } }));
  at.hub.routes.set(next, () => ({ status: 200, body: { items: [makeRecord(2)], next: "2" } }));

  const args = ["audit", "list", "--user", "alice@example.com", "--cluster", "east", "--since", "2h"];
  const { stdout } = await at.cli.run([...args, "--verb", "create", "--limit", "3", "--json"]);

  expect(JSON.parse(stdout).items.map(({ seq }: AuditRecord) => seq)).toEqual([2, 3, 4]);
});

test("a record is a line that nothing in it can break out of", async () => {
  await using at = await signedIn();
  const items = [
    makeRecord(3, { phase: "start", status: undefined, durationMs: undefined, subresource: "exec", actingAs: "bob" }),
    makeRecord(2, {
      status: 403,
      resource: undefined,
      namespace: undefined,
      name: undefined,
      path: "/version\u001b[2J",
    }),
  ];
  at.hub.routes.set("GET /api/v1/audit?limit=100", () => ({ status: 200, body: { items } }));

  const lines = (await at.cli.run(["audit", "list"])).stdout.trimEnd().split("\n");

  expect(lines.map((line) => line.split(/ {2,}/))).toEqual([
    ["TIME", "WHO", "CLUSTER", "VERB", "WHAT", "RESULT", "TOOK", "REQUEST"],
    ["2026-05-06T07:08:11Z", "alice@example.com", "east", "get", "/version�[2J", "403", "12ms", "req_2"],
    ["2026-05-06T07:08:12Z", "alice@example.com as bob", "east", "get", "shop: pods/web-0/exec", "begun", "-", "req_3"],
  ]);
});

test("followed records come one a line, until Ctrl-C", async () => {
  await using at = await signedIn();
  const interrupt = new AbortController();
  const lines = [makeRecord(1), makeRecord(2)].map((record) => JSON.stringify(record));
  at.hub.routes.set("GET /api/v1/audit/stream?cluster=east", () => {
    setTimeout(() => interrupt.abort(new Error("interrupted")), 200);
    return { status: 200, lines };
  });

  const again = "GET /api/v1/audit/stream?cluster=east&since=2026-05-06T07%3A08%3A11.000Z";
  at.hub.routes.set(again, () => ({ status: 200, lines: [lines[1] ?? ""] }));

  const args = ["audit", "list", "--follow", "--cluster", "east", "--json"];
  const result = await at.cli.run(args, { signal: interrupt.signal });

  expect(result.code).toBe(130);
  expect(result.stdout).toBe(lines.map((line) => `${line}\n`).join(""));
});

test("of several hubs' records none is missed or seen twice when a stream breaks, though some come late", async () => {
  const interrupt = new AbortController();
  const asked: (string | undefined)[] = [];
  const [one, two] = ["chain_1", "chain_2"].map((chain) => (seq: number) => makeRecord(seq, { chain }));
  const streams = [
    [one?.(61), one?.(200)],
    [one?.(61), two?.(199), one?.(200)],
  ];
  const client = {
    async *streamAudit(query: { readonly since?: string | undefined } = {}) {
      asked.push(query.since);
      for (const record of streams.shift() ?? []) if (record) yield record;
      if (streams.length === 0) interrupt.abort(new Error("interrupted"));
    },
  };

  const seen: (string | undefined)[] = [];
  const following = (async () => {
    const options = { client, query: {}, signal: interrupt.signal, remark: () => undefined };
    for await (const { chain, seq } of followRecords(options)) seen.push(`${chain} ${seq}`);
  })();
  await expect(following).rejects.toThrow("interrupted");

  expect(seen).toEqual(["chain_1 61", "chain_1 200", "chain_2 199"]);
  expect(Date.parse(asked[1] ?? "")).toBeLessThan(Date.parse(makeRecord(199).at));
});

test("each hub's chain has its line, with what is missing by the word of which other", async () => {
  await using at = await signedIn();
  const chains = [
    { chain: "chain_1", hub: "hub_1", ok: true, records: 9, firstSeq: 1, lastSeq: 9, headHash: "abc" },
    {
      chain: "chain_2",
      ok: false,
      problem: "cut",
      records: 4,
      firstSeq: 1,
      lastSeq: 4,
      brokenAt: 5,
      headHash: "def",
      namedBy: "chain_1",
    },
  ];
  const found = { ok: false, records: 13, firstSeq: 1, lastSeq: 9, headHash: "abc", brokenAt: 5, chains };
  at.hub.routes.set("GET /api/v1/audit/verify", () => ({ status: 200, body: found }));

  const { code, stdout } = await at.cli.run(["audit", "verify"]);

  expect(code).toBe(8);
  expect(stdout).toMatch(/^chain_1 +hub_1 +1 to 9 +whole +abc$/m);
  expect(stdout).toMatch(/^chain_2 .* broken: the records from 5 on are missing, says chain_1 +def$/m);
});

test("a stream that breaks goes on where it was, with no record twice", async () => {
  const interrupt = new AbortController();
  const asked: (string | undefined)[] = [];
  const streams = [[1, 2], [2, 3], [3]];
  const client = {
    async *streamAudit(query: { readonly since?: string | undefined } = {}) {
      asked.push(query.since);
      for (const seq of streams.shift() ?? []) yield makeRecord(seq);
      if (streams.length === 0) interrupt.abort(new Error("interrupted"));
    },
  };

  const seen: number[] = [];
  const following = (async () => {
    const options = { client, query: {}, signal: interrupt.signal, remark: () => undefined };
    for await (const record of followRecords(options)) seen.push(record.seq);
  })();
  await expect(following).rejects.toThrow("interrupted");

  expect(seen).toEqual([1, 2, 3]);
  expect(asked).toEqual([undefined, makeRecord(2).at, makeRecord(3).at]);
});

test.each([
  [true, 0, "whole: 9 records, 1 to 9\nhash of the last: abc\n"],
  [false, 8, "broken: record 4 isn't as it was written, or is missing (9 records, 1 to 9)\n"],
])("a chain that is whole is %s: exit code %i", async (ok, code, text) => {
  await using at = await signedIn();
  const found = { ok, records: 9, firstSeq: 1, lastSeq: 9, headHash: "abc", ...(ok ? {} : { brokenAt: 4 }) };
  at.hub.routes.set("GET /api/v1/audit/verify", () => ({ status: 200, body: found }));

  expect(await at.cli.run(["audit", "verify"])).toMatchObject({ code, stdout: text });
  expect(await at.cli.run(["audit", "verify", "--json"])).toMatchObject({ code, stderr: "" });
});

test("a recording is listed, played, and saved as it was recorded", async () => {
  await using at = await signedIn();
  const recording = {
    requestId: "req_7",
    at: new Date(hubNow).toISOString(),
    user: "alice@example.com",
    cluster: "east",
    namespace: "shop",
    pod: "web-0",
    kind: "exec",
    state: "complete",
    sizeBytes: 10,
    durationMs: 3_000,
  };
  const lines = ['{"version":2,"width":80,"height":24}', '[0.5,"o","hello \\u001b[5n"]', '[9.5,"o","world\\r\\n"]'];
  at.hub.routes.set("GET /api/v1/audit/recordings?limit=1000", () => ({ status: 200, body: { items: [recording] } }));
  at.hub.routes.set("GET /api/v1/audit/recordings/req_7", () => ({ status: 200, lines }));
  const file = join(at.cli.home, "out.cast");

  expect((await at.cli.run(["audit", "recording", "list"])).stdout).toContain("shop/web-0");
  expect(await at.cli.run(["audit", "recording", "replay", "req_7"])).toMatchObject({
    code: 0,
    stdout: "hello world\r\n",
  });
  expect(await at.cli.run(["audit", "recording", "replay", "req_7", "-o", file])).toMatchObject({ code: 0 });
  expect(await readFile(file, "utf8")).toBe(lines.map((line) => `${line}\n`).join(""));
});

test.each([
  [["--since", "soon"], "isn't a valid duration"],
  [["--since", "2026-99-99"], "isn't a time"],
  [["--limit", "0"], "isn't a number of records"],
])("audit list %j is refused", async (options, why) => {
  await using at = await signedIn();

  expect(await at.cli.run(["audit", "list", ...options])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(why),
  });
});

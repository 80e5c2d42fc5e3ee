// A database of somebody else that can't be used, or not any more.

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAuthority, issueCertificate, type KeyPairPem, startCable } from "@fairlead/testkit";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openStore } from "../store.ts";
import type { Store } from "../types.ts";
import type { DatabaseOptions } from "./options.ts";
import { password, startTcpServer, type TcpServer } from "./tcp-server.fixture.ts";

let server: TcpServer;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "fairlead-faults-"));
  server = await startTcpServer();
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

describe("a database that can't be used at the start", () => {
  it("is told as away at once, and waited for when the hub is to wait", async () => {
    await server.run("create database away owner hub");
    await using cable = await startCable({ to: { port: server.port } });
    cable.cut();
    const url = server.url({ database: "away", port: cable.port });
    await expect(open(url)).rejects.toMatchObject({ code: "STORE_DOWN", httpStatus: 503, retryable: true });
    const told: string[] = [];
    const opening = openStore({
      database: toOptions(url),
      waitMs: 60_000,
      onWait: ({ code }) => {
        told.push(code);
        cable.heal();
      },
    });
    await using store = await opening;
    await store.check();
    expect(told).toEqual(["STORE_DOWN"]);
  });

  it("is told when it doesn't let the hub in, and the password isn't", async () => {
    const wrong = server.url().replace(encodeURIComponent(password), "another%20p%40ssword");
    const refusal = await open(wrong).catch((error: unknown) => error);
    expect(refusal).toMatchObject({ code: "STORE_REFUSED", message: expect.stringContaining("fairlead at 127.0.0.1") });
    const everything = describeAll(refusal);
    for (const text of ["another p@ssword", "another%20p", password]) expect(everything).not.toContain(text);
    await expect(open(server.url({ database: "nowhere" }))).rejects.toMatchObject({ code: "STORE_REFUSED" });
    await server.run("create database foreign_owned");
    await expect(open(server.url({ database: "foreign_owned" }))).rejects.toMatchObject({ code: "STORE_REFUSED" });
  });

  it("reads the password from its file again, so that it may change", async () => {
    await server.run("create database rotated owner hub");
    await server.run("create role other login password 'first'; grant hub to other");
    await server.run("alter database rotated owner to other");
    const path = join(folder, "url");
    const write = (secret: string): Promise<void> =>
      writeFile(path, `postgres://other:${secret}@127.0.0.1:${server.port}/rotated\n`);
    await write("first");
    await using store = await openStore({ database: { source: { kind: "file", path }, connections: 10 } });
    await write("second");
    await server.run("alter role other password 'second'");
    await cutAll("rotated");
    await expect.poll(() => ask(store)).toBe("fine");
  });

  it("is refused when it is too old or too new, has another encoding, or holds something else", async () => {
    await using old = await pretend("180004", "140011");
    await expect(open(server.url({ port: old.port }))).rejects.toMatchObject({ code: "STORE_UNFIT" });
    await using young = await pretend("180004", "190001");
    await expect(open(server.url({ port: young.port }))).rejects.toMatchObject({ code: "STORE_UNFIT" });
    await server.run("create database ascii owner hub encoding 'SQL_ASCII' locale 'C' template template0");
    await expect(open(server.url({ database: "ascii" }))).rejects.toMatchObject({
      code: "STORE_UNFIT",
      message: expect.stringContaining("SQL_ASCII"),
    });
    await server.run("create database used owner hub");
    await server.run("set role hub; create table cluster (id int)", "used");
    await expect(open(server.url({ database: "used" }))).rejects.toMatchObject({ code: "STORE_UNFIT" });
  });

  it("is told as read-only", async () => {
    await server.run("create database readonly owner hub");
    await server.run("alter database readonly set default_transaction_read_only = on");
    await expect(open(server.url({ database: "readonly" }))).rejects.toMatchObject({ code: "STORE_READ_ONLY" });
  });

  it("keeps the order of bytes and the hub's own ways whatever its own are", async () => {
    await server.run(
      "create database swedish owner hub locale_provider icu icu_locale 'sv-SE' locale 'C' template template0",
    );
    await server.run(
      "alter database swedish set datestyle = 'SQL, DMY'; alter database swedish set timezone = 'Asia/Tokyo'",
    );
    await using store = await open(server.url({ database: "swedish" }));
    const at = new Date(Date.UTC(2030, 1, 3, 4, 5, 6));
    for (const name of ["b", "B", "a-b", "ab", "Z"]) {
      await store.db
        .insertInto("cluster")
        .values({ name, labels: "{}", roles: ["proxy"], created_at: at })
        .execute();
    }
    const rows = await store.db.selectFrom("cluster").select(["name", "created_at"]).orderBy("name").execute();
    expect(rows.map(({ name }) => name)).toEqual(["B", "Z", "a-b", "ab", "b"]);
    expect(rows[0]?.created_at).toEqual(at);
  });
});

describe("TLS to a database", () => {
  let authority: KeyPairPem;
  let secured: TcpServer;
  const files = { own: "", other: "" };
  beforeAll(async () => {
    authority = await createAuthority("the database's");
    const other = await createAuthority("another");
    files.own = join(folder, "own.crt");
    files.other = join(folder, "other.crt");
    await writeFile(files.own, authority.certPem);
    await writeFile(files.other, other.certPem);
    const tls = await issueCertificate(authority, { commonName: "db", usage: "server", dnsNames: ["localhost"] });
    secured = await startTcpServer({ tls });
  });
  afterAll(() => secured[Symbol.asyncDispose]());

  it("holds with the right authority and name", async () => {
    await using store = await open(secured.url({ host: "localhost", query: "?sslmode=verify-full" }), files.own);
    const { rows } = await sql<{ ssl: boolean }>`
      select ssl from pg_stat_ssl where pid = pg_backend_pid()
    `.execute(store.db);
    expect(rows).toEqual([{ ssl: true }]);
  });

  it.each([
    ["another authority", "localhost", "verify-full", "other", "STORE_TLS"],
    ["an authority that nobody named", "localhost", "verify-full", undefined, "STORE_TLS"],
    ["another name", "127.0.0.1", "verify-full", "own", "STORE_TLS"],
    ["another name that isn't looked at", "127.0.0.1", "verify-ca", "own", undefined],
    ["another authority, with verify-ca", "localhost", "verify-ca", "other", "STORE_TLS"],
    ["another authority, with require and one to hold it to", "localhost", "require", "other", "STORE_TLS"],
    ["nothing to hold it to, with require", "127.0.0.1", "require", undefined, undefined],
  ] as const)("with %s: %s %s", async (_, host, mode, ca, code) => {
    const opening = open(secured.url({ host, query: `?sslmode=${mode}` }), ca === undefined ? undefined : files[ca]);
    if (code !== undefined) return await expect(opening).rejects.toMatchObject({ code });
    await using store = await opening;
    await store.check();
  });

  it("is refused with a certificate that is over, and by a server without TLS", async () => {
    const tls = await issueCertificate(authority, {
      commonName: "db",
      usage: "server",
      dnsNames: ["localhost"],
      notAfter: new Date(Date.now() - 3_600_000),
    });
    await using expired = await startTcpServer({ tls });
    const query = "?sslmode=verify-full";
    await expect(open(expired.url({ host: "localhost", query }), files.own)).rejects.toMatchObject({
      code: "STORE_TLS",
      message: expect.stringContaining("expired"),
    });
    await expect(open(server.url({ host: "localhost", query }), files.own)).rejects.toMatchObject({
      code: "STORE_TLS",
    });
  });
});

describe("a database that goes away while a hub serves", () => {
  it("is told, and used again when it is back; nothing that was answered is lost", async () => {
    await using own = await startTcpServer();
    await using store = await open(own.url());
    await sql`create table kept (n integer primary key)`.execute(store.db);
    const acknowledged: number[] = [];
    const codes = new Set<string>();
    let isOver = false;
    const writing = (async () => {
      for (let n = 0; !isOver; n += 1) {
        const code = await sql`insert into kept values (${n})`.execute(store.db).then(
          () => "fine",
          (error: { code: string }) => error.code,
        );
        if (code === "fine") acknowledged.push(n);
        codes.add(code);
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    })();
    for (let round = 0; round < 3; round += 1) {
      const before = acknowledged.length;
      await expect.poll(() => acknowledged.length).toBeGreaterThan(before + 20);
      await own.kill();
      await expect.poll(() => ask(store)).toBe("STORE_DOWN");
      await own.start();
    }
    await expect.poll(() => ask(store)).toBe("fine");
    isOver = true;
    await writing;
    const { rows } = await sql<{ n: number }>`select n from kept`.execute(store.db);
    const there = new Set(rows.map(({ n }) => n));
    expect(acknowledged.filter((n) => !there.has(n))).toEqual([]);
    expect(acknowledged.length).toBeGreaterThan(60);
    expect([...codes].filter((code) => code !== "fine" && !/^STORE_(?:DOWN|FAILED)$/.test(code))).toEqual([]);
  });

  it("is told when it accepts and never answers, within half a minute, and used again when it does", async () => {
    await server.run("create database silent owner hub");
    await using cable = await startCable({ to: { port: server.port } });
    await using store = await open(server.url({ database: "silent", port: cable.port }));
    expect(await ask(store)).toBe("fine");
    cable.blackhole();
    const startedMs = performance.now();
    // The first question finds the connection silent; the second one comes after that is known.
    expect(await ask(store)).toBe("STORE_DOWN");
    expect(performance.now() - startedMs).toBeLessThan(30_000);
    const laterMs = performance.now();
    expect(await ask(store)).toBe("STORE_DOWN");
    expect(performance.now() - laterMs).toBeLessThan(1_000);
    await expect(store.check()).rejects.toMatchObject({ code: "STORE_DOWN" });
    cable.heal();
    await expect.poll(() => ask(store)).toBe("fine");
  });

  it("is told as read-only while it is, and written to again afterwards", async () => {
    await server.run("create database standby owner hub");
    await using store = await open(server.url({ database: "standby" }));
    await server.run("alter database standby set default_transaction_read_only = on");
    await cutAll("standby");
    await expect.poll(() => ask(store)).toBe("STORE_READ_ONLY");
    const read = () => store.queries.selectFrom("cluster").select("name").execute();
    await expect.poll(() => read().catch(() => "cut")).toEqual([]);
    await server.run("alter database standby reset default_transaction_read_only");
    await expect.poll(() => ask(store)).toBe("fine");
  });

  it("is told when its disk is full, and written to again when there is room", async () => {
    await using full = await startTcpServer({ diskMib: 160, settings: { max_wal_size: "32MB", min_wal_size: "32MB" } });
    await using store = await open(full.url());
    await full.run("create unlogged table junk (text text storage external)", "fairlead");
    const fill = "insert into junk select repeat(md5(i::text), 200) from generate_series(1, 2000) i";
    for (let isFull = false; !isFull; )
      isFull = await full.run(fill, "fairlead").then(
        () => false,
        () => true,
      );
    await expect.poll(() => ask(store, 300_000)).toBe("STORE_FULL");
    await store.check();
    await full.run("drop table junk", "fairlead");
    await expect.poll(() => ask(store, 300_000)).toBe("fine");
  });

  it("is another hub's when that took it meanwhile: this one never writes again, and says so", async () => {
    await server.run("create database taken owner hub");
    await using cable = await startCable({ to: { port: server.port } });
    await using first = await open(server.url({ database: "taken", port: cable.port }));
    expect(await ask(first)).toBe("fine");
    cable.cut();
    await using second = await open(server.url({ database: "taken" }));
    expect(await ask(second)).toBe("fine");
    cable.heal();
    expect(await first.lost).toMatchObject({ code: "STORE_LOCKED" });
    expect(await ask(first)).toBe("STORE_LOCKED");
    expect(await ask(second)).toBe("fine");
  });

  it("stays this hub's as long as any of its connections is there, also when the one that keeps it broke", async () => {
    await server.run("create database shared owner hub");
    await using first = await open(server.url({ database: "shared" }));
    const slow = sql`select pg_sleep(6)`.execute(first.db);
    await server.run(
      "select pg_terminate_backend(pid) from pg_stat_activity where datname = 'shared' and query not like '%pg_sleep%'",
    );
    await expect(open(server.url({ database: "shared" }))).rejects.toMatchObject({ code: "STORE_LOCKED" });
    await slow;
    await expect.poll(() => ask(first)).toBe("fine");
  });

  it("is handed over to the hub that follows on the same data folder", async () => {
    await server.run("create database followed owner hub");
    const dataDir = join(folder, "data");
    const database = toOptions(server.url({ database: "followed" }));
    const first = await openStore({ dataDir, database });
    const waiting = Promise.withResolvers<void>();
    const following = openStore({ dataDir, database, waitMs: 60_000, onWait: () => waiting.resolve() });
    await waiting.promise;
    await expect.poll(() => first.succession?.isAwaited()).toBe(true);
    await first.succession?.letGo();
    await using second = await following;
    await second.succession?.announce();
    expect(await first.succession?.untilServed(10_000)).toBe(true);
    expect(await ask(first)).toBe("STORE_HANDED_OVER");
    await first[Symbol.asyncDispose]();
    expect(await ask(second)).toBe("fine");
  });
});

function toOptions(url: string, caFile?: string): DatabaseOptions {
  return { source: { kind: "url", url }, connections: 10, ...(caFile === undefined ? {} : { caFile }) };
}

function open(url: string, caFile?: string): Promise<Store> {
  return openStore({ database: toOptions(url, caFile) });
}

/** Asks by writing a row of this size. */
function ask({ db }: Store, size = 10): Promise<string> {
  return sql`insert into admin_token (id, name, secret_sha256, created_at)
    select gen_random_uuid()::text, string_agg(md5(random()::text), ''), 'x', now()
    from generate_series(1, ${size}::int / 10)`
    .execute(db)
    .then(
      () => "fine",
      (error: { code: string }) => error.code,
    );
}

async function cutAll(database: string): Promise<void> {
  await server.run(`select pg_terminate_backend(pid) from pg_stat_activity where datname = '${database}'`);
}

/** Relays to the real server and replaces one text in its answers. */
async function pretend(own: string, other: string): Promise<AsyncDisposable & { readonly port: number }> {
  const relay = createServer((near) => {
    const far = connect(server.port, "127.0.0.1");
    near.on("error", () => far.destroy());
    far.on("error", () => near.destroy());
    near.pipe(far);
    far.on("data", (bytes: Buffer) =>
      near.write(Buffer.from(bytes.toString("latin1").replaceAll(own, other), "latin1")),
    );
    far.on("close", () => near.destroy());
  });
  await new Promise<void>((resolve) => relay.listen(0, "127.0.0.1", resolve));
  const address = relay.address();
  return {
    port: address !== null && typeof address === "object" ? address.port : 0,
    [Symbol.asyncDispose]: () => new Promise((resolve) => void relay.close(() => resolve())),
  };
}

/** The text has causes and stacks. */
function describeAll(error: unknown): string {
  const { message, stack, cause } = error as Error;
  return `${message} ${stack} ${JSON.stringify(error)} ${cause === undefined ? "" : describeAll(cause)}`;
}

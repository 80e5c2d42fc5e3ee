// Backups, restores and copies of a hub's store, with real databases on both sides.
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { endDatabase } from "@fairlead/testkit";
import { sql } from "kysely";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { fillPods } from "../burden.fixture.ts";
import { loadMigrations, toMigration } from "../migrations.ts";
import { openStore } from "../store.ts";
import type { Store } from "../types.ts";
import { backupStore, copyStore, restoreStore } from "./commands.ts";
import type { StoreLocation } from "./locations.ts";

const hub = { hubVersion: "0.1.0" };
let folder: string;
let dataDir: string;
let store: Store;
let backup: string;
let contents: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "fairlead-transfer-"));
  dataDir = join(folder, "data");
  store = await openStore({ dataDir });
  await fillPods(store, 3_000);
  await insertOddities(store);
  await mkdir(join(dataDir, "pki"), { mode: 0o700 });
  await writeFile(join(dataDir, "pki", "ca.key"), "a key", { mode: 0o600 });
  await writeFile(join(dataDir, "audit-journal.jsonl"), '{"seq":1}\n');
  await mkdir(join(dataDir, "recordings", "2030"), { recursive: true });
  await writeFile(join(dataDir, "recordings", "2030", "one.cast"), Buffer.alloc(200_000, "recorded\0"));
  contents = await describeContents(store);
  backup = join(folder, "backup");
  const summary = await backupStore({ ...hub, from: toFolder(dataDir), filesFolder: dataDir, to: backup });
  expect(summary.files).toBe(3);
  expect(summary.tables["inventory_object"]?.rows).toBe(3_000);
});
afterAll(async () => {
  await store[Symbol.asyncDispose]();
  await endDatabase(dataDir);
  await rm(folder, { recursive: true, force: true });
});

describe("a backup of a hub that serves", () => {
  it("is for its owner alone, and never written over anything", async () => {
    expect((await stat(backup)).mode & 0o777).toBe(0o600);
    const again = backupStore({ ...hub, from: toFolder(dataDir), filesFolder: dataDir, to: backup });
    await expect(again).rejects.toMatchObject({ code: "STORE_NOT_EMPTY" });
  });

  it("is of one moment, whatever is written meanwhile", async () => {
    const to = join(folder, "moment");
    await sql`create table left_side (n int)`.execute(store.db);
    await sql`create table right_side (n int)`.execute(store.db);
    let isOver = false;
    const writing = (async () => {
      for (let at = 0; !isOver; at++) {
        await store.db.transaction().execute(async (trx) => {
          for (const table of ["left_side", "right_side"]) {
            await sql`insert into ${sql.table(table)} values (${at})`.execute(trx);
          }
        });
      }
    })();
    await backupStore({ ...hub, from: toFolder(dataDir), filesFolder: dataDir, to });
    isOver = true;
    await writing;
    await sql`drop table left_side, right_side`.execute(store.db);
    const lines = gunzipSync(await readFile(to))
      .toString()
      .split("\n");
    const count = (table: string): number => {
      const from = lines.findIndex((line) => line.startsWith(`T{"name":"${table}"`)) + 1;
      return lines.slice(from).findIndex((line) => !line.startsWith("R"));
    };
    expect(count("left_side")).toBe(count("right_side"));
  });

  it("is for its owner alone without any umask too, and so are the files that come back from it", async () => {
    const umask = process.umask(0);
    const [to, target] = [join(folder, "no-umask"), join(folder, "no-umask-restored")];
    try {
      await backupStore({ ...hub, from: toFolder(dataDir), filesFolder: dataDir, to });
      await restoreStore({ ...hub, from: to, filesFolder: target, to: toFolder(target) });
    } finally {
      process.umask(umask);
    }
    const made = await readdir(target, { recursive: true });
    const open = await Promise.all(
      made.map(async (name) => (((await stat(join(target, name))).mode & 0o077) === 0 ? [] : [name])),
    );
    expect((await stat(to)).mode & 0o777).toBe(0o600);
    // What the server must reach as another user says nothing, and its password isn't among it.
    const harmless = /^postgres(?:$|\/access\.conf$|\/libraries(?:$|\/))/;
    expect(open.flat().filter((name) => !harmless.test(name))).toEqual([]);
    expect(made).toContain(join("pki", "ca.key"));
  });

  it("comes back as it was, with the files", async () => {
    const target = join(folder, "restored");
    await restoreStore({ ...hub, from: backup, filesFolder: target, to: toFolder(target) });
    expect((await readdir(target)).sort()).toEqual(["audit-journal.jsonl", "pki", "postgres", "recordings"]);
    expect(await readFile(join(target, "recordings", "2030", "one.cast"))).toEqual(Buffer.alloc(200_000, "recorded\0"));
    expect((await stat(join(target, "pki", "ca.key"))).mode & 0o777).toBe(0o600);
    {
      await using restored = await openStore({ dataDir: target });
      expect(await describeContents(restored)).toBe(contents);
      // Numbers go on behind those that there were.
      const { rows } = await sql<{ seq: string }>`select nextval('inventory_revision') as seq`.execute(restored.db);
      expect(Number(rows[0]?.seq)).toBeGreaterThan(3_000);
    }
    const again = restoreStore({ ...hub, from: backup, filesFolder: target, to: toFolder(target) });
    await expect(again).rejects.toMatchObject({ code: "STORE_NOT_EMPTY" });
  });
});

describe("what was good when a backup was made", () => {
  let issued: string;
  beforeAll(async () => {
    issued = join(folder, "issued");
    const { db } = store;
    await sql`insert into cluster (name, labels, roles, created_at) values ('issued', '{}', '{proxy}', now())`.execute(
      db,
    );
    await sql`insert into join_token values ('jt', 'issued', '{proxy}', 0, 'x', now(), now() + interval '1 hour')`.execute(
      db,
    );
    await sql`insert into identity (serial, cluster, roles, epoch, key_thumbprint, certificate_pem, issued_at, not_after)
      values ('01', 'issued', '{proxy}', 0, 'k', 'pem', now(), now())`.execute(db);
    await sql`insert into robot values ('bot', 'uid', null, 1000, now())`.execute(db);
    // The second was made with the first, which comes after it since it was used.
    for (const [id, parent] of [
      ["rt", null],
      ["rt2", "rt"],
    ])
      await sql`insert into robot_token (id, robot, secret_sha256, created_at, expires_at, parent)
        values (${id}, 'bot', ${id}, now(), now() + interval '1 hour', ${parent})`.execute(db);
    await sql`update robot_token set last_used_at = now() where id = 'rt'`.execute(db);
    await sql`insert into session (id, kind, name, uid, groups, method, created_at, refreshed_at, ends_at)
      values ('s', 'user', 'u', 'u', '{}', 'token', now(), now(), now() + interval '1 hour')`.execute(db);
    await backupStore({ ...hub, from: toFolder(dataDir), filesFolder: undefined, to: issued });
  });
  afterAll(async () => {
    for (const statement of ["delete from cluster where name = 'issued'", "delete from robot", "delete from session"])
      await sql.raw(statement).execute(store.db);
  });

  it.each([
    [false, { sessions: 0, joins: 0, robots: 2, identities: 1, epoch: 0, revocations: 0 }],
    [true, { sessions: 0, joins: 0, robots: 0, identities: 1, epoch: 1, revocations: 1 }],
  ])("is good after a restore as far as nobody ends it (--revoke-issued: %s)", async (revokesIssued, wanted) => {
    const place = join(folder, `issued-${revokesIssued}`);
    await restoreStore({ ...hub, from: issued, filesFolder: place, to: toFolder(place), revokesIssued });
    const restored = await openStore({ dataDir: place });
    const { rows } = await sql`select (select count(*)::int from session) as sessions,
      (select count(*)::int from join_token) as joins, (select count(*)::int from robot_token) as robots,
      (select count(*)::int from identity) as identities, (select epoch from cluster where name = 'issued') as epoch,
      (select count(*)::int from cluster_revocation where cluster = 'issued' and epoch = 0) as revocations`.execute(
      restored.db,
    );
    expect(rows).toEqual([wanted]);
    await restored[Symbol.asyncDispose]();
    await endDatabase(place);
  });
});

describe("a file that isn't a whole backup", () => {
  const changes: readonly [string, string, (bytes: Buffer) => Buffer][] = [
    ["half of one", "STORE_BACKUP_DAMAGED", (bytes) => bytes.subarray(0, bytes.length / 2)],
    ["one without its last byte", "STORE_BACKUP_DAMAGED", (bytes) => bytes.subarray(0, -1)],
    ["one cut between two lines", "STORE_BACKUP_DAMAGED", changeText((text) => text.slice(0, text.indexOf("\nS") + 1))],
    [
      "one with another value",
      "STORE_BACKUP_DAMAGED",
      changeText((text) => text.replace("registry.example", "registri.example")),
    ],
    ["one with a byte changed", "STORE_BACKUP_DAMAGED", flip],
    ["one of a newer hub", "STORE_NEWER", changeText((text) => text.replace('"0001-schema', '"9999-schema'))],
    [
      "one from before the first release",
      "STORE_SCHEMA_UNRELEASED",
      changeText((text) => text.replace('"0001-schema', '"0001-identity')),
    ],
    ["another compressed file", "STORE_BACKUP_FOREIGN", () => gzipSync("SELECT 1;\n")],
    ["text", "STORE_BACKUP_FOREIGN", () => Buffer.from("-- PostgreSQL database dump\n")],
    ["nothing", "STORE_BACKUP_DAMAGED", () => Buffer.alloc(0)],
  ];

  it.each(changes)("%s is refused as %s before anything is made", async (_name, code, change) => {
    const from = join(folder, "changed");
    await writeFile(from, change(await readFile(backup)));
    const target = join(folder, "refused");
    await expect(restoreStore({ ...hub, from, filesFolder: target, to: toFolder(target) })).rejects.toMatchObject({
      code,
    });
    await expect(readdir(target)).rejects.toMatchObject({ code: "ENOENT" });
  });
});

it("a backup of an older hub is migrated when it is restored", async () => {
  const adding = toMigration(
    "0900-adding.sql",
    "alter table inventory_object add column note text default 'as before';\n",
  );
  const migrations = [...(await loadMigrations()), adding];
  const target = join(folder, "older-restored");
  await restoreStore({ ...hub, from: backup, filesFolder: target, to: toFolder(target), migrations });
  await using restored = await openStore({ dataDir: target });
  const { rows } = await sql`
    select note, count(*)::int as pods, (select max(name) from migration) as newest from inventory_object group by note
  `.execute(restored.db);
  expect(rows).toEqual([{ note: "as before", pods: 3_000, newest: adding.name }]);
});

describe("a copy", () => {
  it("goes from a folder to a database and back, and each place but an empty one is refused", async () => {
    const server = inject("postgres");
    const name = `copied_${crypto.randomUUID().replaceAll("-", "")}`;
    await using admin = await connect({ ...server, database: "postgres" });
    await admin.query(`create database ${name} template template1`);
    const database: StoreLocation = { kind: "database", connection: { ...server, database: name } };
    const source = join(folder, "source");
    await restoreStore({ ...hub, from: backup, filesFolder: source, to: toFolder(source) });

    const there = await copyStore({ ...hub, from: toFolder(source), to: database });
    expect(there.tables["audit_block"]?.rows).toBe(1);
    await expect(copyStore({ ...hub, from: toFolder(source), to: database })).rejects.toMatchObject({
      code: "STORE_NOT_EMPTY",
    });
    const back = join(folder, "back");
    expect((await copyStore({ ...hub, from: database, to: toFolder(back) })).tables).toEqual(there.tables);
    {
      await using copied = await openStore({ dataDir: back });
      expect(await describeContents(copied)).toBe(contents);
    }
    await expect(copyStore({ ...hub, from: database, to: toFolder(back) })).rejects.toMatchObject({
      code: "STORE_NOT_EMPTY",
    });
    await admin.query(`drop database ${name} with (force)`);
  });

  it("isn't made of a folder that a hub uses, nor of one without data", async () => {
    const to = toFolder(join(folder, "none"));
    await expect(copyStore({ ...hub, from: toFolder(dataDir), to })).rejects.toMatchObject({ code: "STORE_LOCKED" });
    const nothing = toFolder(join(folder, "nothing"));
    await expect(copyStore({ ...hub, from: nothing, to })).rejects.toMatchObject({ code: "STORE_ABSENT" });
  });
});

it("a restore that was interrupted isn't opened, and the next one begins anew", async () => {
  const target = join(folder, "interrupted");
  await mkdir(join(target, "pki"), { recursive: true });
  await writeFile(join(target, "pki", "ca.key"), "half a k");
  await writeFile(join(target, "restore.unfinished"), '["postgres","pki"]');
  await expect(openStore({ dataDir: target })).rejects.toMatchObject({ code: "STORE_RESTORE_UNFINISHED" });
  await restoreStore({ ...hub, from: backup, filesFolder: target, to: toFolder(target) });
  expect(await readFile(join(target, "pki", "ca.key"), "utf8")).toBe("a key");
  await using restored = await openStore({ dataDir: target });
  await restored.check();
});

function toFolder(path: string): StoreLocation {
  return { kind: "folder", dataDir: path };
}

/** These values go wrong when somebody on the way thinks he knows their kind. */
async function insertOddities({ db }: Store): Promise<void> {
  const users = ['a"b', "c,d", "\u00fc\n\u2028", "", "\\", "null"];
  await sql`insert into audit_block values (9007199254740993, 9223372036854775807, '2030-01-01T00:00:00.123456Z',
    'infinity', ${users}, '{}', 'x', decode('00ff0a5c22', 'hex'))`.execute(db);
  await sql`insert into recording (request_id, at, principal, cluster, namespace, pod, kind, state, size_bytes, duration_ms, file)
    values ('r', now(), 'p', 'c', 'n', 'p', 'exec', 's', 1, 0.1 + 0.2, 'f'), ('r', now(), 'p', 'c', 'n', 'p', 'exec', 's', 1, null, 'f')`.execute(
    db,
  );
  await sql`update inventory_object set body = 'null', labels = '{"n":1.10,"big":12345678901234567890123}', usage = 'null'
    where name = 'pod-1'`.execute(db);
  await sql`update inventory_object set deleted_at = now() where name = 'pod-2'`.execute(db);
}

/** A digest by the database itself of all rows of all tables, in its own way of writing them. */
async function describeContents({ db }: Store): Promise<string> {
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'
      and relname <> 'migration' order by 1`.execute(db);
  const digests: string[] = [];
  for (const { name } of rows) {
    const found = await sql<{ digest: string }>`
      select count(*) || ' ' || coalesce(md5(string_agg(t::text, '' order by t::text)), '') as digest
      from ${sql.table(name)} t`.execute(db);
    digests.push(`${name} ${found.rows[0]?.digest}`);
  }
  return digests.join("\n");
}

function changeText(change: (text: string) => string): (bytes: Buffer) => Buffer {
  return (bytes) => {
    const text = gunzipSync(bytes).toString();
    const changed = change(text);
    expect(changed).not.toBe(text);
    return gzipSync(changed);
  };
}

function flip(bytes: Buffer): Buffer {
  const changed = Buffer.from(bytes);
  const at = Math.floor(changed.length / 2);
  changed[at] = (changed[at] ?? 0) ^ 0x10;
  return changed;
}

async function connect(config: object): Promise<Client & AsyncDisposable> {
  const client = new Client(config);
  await client.connect();
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() });
}

import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createMovableClock } from "@fairlead/kernel/testing";
import { compactVerify, importJWK } from "jose";
import type { Kysely, Transaction } from "kysely";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { Store, Tables } from "../store/index.ts";
import { openMemoryStore } from "../store/memory-store.fixture.ts";
import { type CommandKeys, openCommandKeys } from "./command-keys.ts";
import { readKeySeal } from "./key-seal.ts";

const clock = createMovableClock(Date.UTC(2030, 0, 1));
let store: Store;
let followers: (() => Promise<void>)[] = [];
beforeEach(async () => {
  store = await openMemoryStore();
  followers = [];
});
afterEach(() => store[Symbol.asyncDispose]());

/** All hubs hear of each change before it is answered. */
const changes = {
  async commit<T>(_topics: unknown, work: (trx: Transaction<Tables>) => Promise<T>): Promise<T> {
    const done = await (store.db as Kysely<Tables>).transaction().execute(work);
    return done;
  },
  follow(_topic: unknown, reread: (signal: AbortSignal) => Promise<void>) {
    followers.push(() => reread(AbortSignal.timeout(10_000)));
    return { async [Symbol.asyncDispose]() {} };
  },
};

function writeKey(seed: number): string {
  const path = join(mkdtempSync(join(tmpdir(), "fairlead-key-")), "key");
  writeFileSync(path, Buffer.alloc(32, seed).toString("base64"), { mode: 0o600 });
  return path;
}

async function open(options: { file?: string; previousFile?: string; isOwnDatabase?: boolean } = {}) {
  const { isOwnDatabase = false, ...files } = options;
  const seal = await readKeySeal(files);
  return await openCommandKeys({ db: store.db, changes, seal, isOwnDatabase, spreadMs: 1_000, clock });
}

async function opened(options: Parameters<typeof open>[0]): Promise<CommandKeys> {
  const keys = await open(options);
  if (!keys) throw new Error("no keys");
  return keys;
}

async function verify(jws: string, keys: CommandKeys): Promise<string> {
  for (const { publicJwk } of keys.list()) {
    const found = await compactVerify(jws, await importJWK(JSON.parse(publicJwk), "EdDSA")).catch(() => undefined);
    if (found) return new TextDecoder().decode(found.payload);
  }
  throw new Error("by none of these keys");
}

const readSeals = () => store.db.selectFrom("command_key_seal").selectAll().orderBy("key_id").execute();

it("is one key for hubs that begin at once, and lies in their database encrypted only", async () => {
  const file = writeKey(1);
  const [one, two] = await Promise.all([opened({ file }), opened({ file })]);
  await Promise.all(followers.map((reread) => reread()));
  expect(one.list()).toEqual(two.list());
  expect(await verify(await one.sign("hello", "x"), two)).toBe("hello");
  const seals = await readSeals();
  expect(seals.length).toBe(1);
  expect(seals[0]?.sealed_key).not.toContain("PRIVATE");
});

it("isn't made for a database that others can read when nothing would encrypt it", async () => {
  expect(await open()).toBeUndefined();
  expect(await readSeals()).toEqual([]);
});

it("is no key any more for hubs that find it unencrypted where others could read it", async () => {
  const before = await opened({ isOwnDatabase: true });
  const after = await opened({ file: writeKey(1) });
  expect(after.list().map(({ id }) => id)).not.toContain(before.list()[0]?.id);
  await expect(verify(await before.sign("hello", "x"), after)).rejects.toThrow();
});

it("is encrypted when a hub with a database of its own gets a key encryption key, and by the next one after that", async () => {
  const first = await opened({ isOwnDatabase: true });
  const [file, next] = [writeKey(1), writeKey(2)];
  const same = await opened({ isOwnDatabase: true, file });
  expect((await readSeals()).map(({ sealed_key }) => sealed_key.includes("PRIVATE"))).toEqual([false]);
  await opened({ file: next, previousFile: file });
  expect((await readSeals()).length).toBe(2);
  const last = await opened({ file: next });
  expect((await readSeals()).length).toBe(1);
  expect([same.list(), last.list()]).toEqual([first.list(), first.list()]);
  await expect(open({ file })).rejects.toMatchObject({ code: "PKI_KEY_ENCRYPTION_KEY_WRONG" });
});

it("is followed by another one, which is given out before it signs, and the first for a while after", async () => {
  const keys = await opened({ isOwnDatabase: true });
  const [first] = keys.list();
  await keys.rotate();
  await expect(keys.rotate()).rejects.toMatchObject({ code: "PKI_COMMAND_KEY_COMING" });
  const [signing, coming] = keys.list();
  expect(signing?.id).toBe(first?.id);
  const old = await keys.sign("old", "x");
  clock.move(1_100);
  expect(keys.list().map(({ id }) => id)).toEqual([coming?.id, first?.id]);
  expect(await verify(old, keys)).toBe("old");
  clock.move(1_000);
  expect(keys.list().map(({ id }) => id)).toEqual([coming?.id]);
  expect(await verify(await keys.sign("new", "x"), keys)).toBe("new");
});

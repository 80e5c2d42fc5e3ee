// The hub's state: PGlite in the data folder (or in memory), reached through Kysely. One process at a time.
import { access, rename, rm, statfs } from "node:fs/promises";
import { dirname, join } from "node:path";
import { PGlite } from "@electric-sql/pglite";
import { isFairleadError } from "@fairlead/kernel";
import { Kysely, sql } from "kysely";
import { storeFull, storeUnusable, toStoreError } from "./errors.ts";
import { lockFolder } from "./lock.ts";
import { migrate } from "./migrate.ts";
import { createPgliteDialect } from "./pglite-dialect.ts";
import type { Tables } from "./tables.ts";

export interface Store extends AsyncDisposable {
  readonly db: Kysely<Tables>;
  /** A round trip to the database; throws when it doesn't answer. */
  check(): Promise<void>;
}

export interface StoreOptions {
  /** Made when it isn't there; undefined keeps everything in memory. */
  readonly dataDir?: string | undefined;
  /** In memory only: starts from a dump instead of making a new database, which takes seconds. */
  readonly image?: Blob | undefined;
}

export async function openStore(options: StoreOptions = {}): Promise<Store> {
  const { dataDir, image } = options;
  if (dataDir === undefined) return await startStore(() => PGlite.create(image ? { loadDataDir: image } : {}));
  try {
    return await openFolder(dataDir);
  } catch (error) {
    const named = toStoreError(error, dataDir);
    throw isFairleadError(named) ? named : storeUnusable(dataDir, error);
  }
}

async function openFolder(dataDir: string): Promise<Store> {
  await using stack = new AsyncDisposableStack();
  stack.use(await lockFolder(dataDir));
  const path = join(dataDir, "db");
  if (!(await exists(path))) await initialize(path);
  const store = stack.use(await startStore(() => openDatabase(path)));
  const owned = stack.move();
  return { db: store.db, check: store.check, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

/** Makes a new database beside its place and moves it there when it is whole: a kill halfway leaves nothing broken. */
async function initialize(path: string): Promise<void> {
  const draft = `${path}.new`;
  await rm(draft, { recursive: true, force: true });
  if ((await readFreeBytes(path)) < newDatabaseBytes) throw storeFull(undefined);
  const pglite = await PGlite.create(draft);
  await pglite.close();
  await rename(draft, path);
}

/** PGlite doesn't say why it can't start; on a disk without room for a WAL segment, that is why. */
async function openDatabase(path: string): Promise<PGlite> {
  try {
    return await PGlite.create(path);
  } catch (error) {
    if ((await readFreeBytes(path)) < runningDatabaseBytes) throw storeFull(error);
    throw storeUnusable(dirname(path), error);
  }
}

async function startStore(open: () => Promise<PGlite>): Promise<Store> {
  const db = new Kysely<Tables>({ dialect: createPgliteDialect(open) });
  try {
    await migrate(db);
  } catch (error) {
    await db.destroy().catch(() => undefined); // the first error is the one to tell
    throw error;
  }
  return {
    db,
    async check() {
      await sql`select 1`.execute(db);
    },
    async [Symbol.asyncDispose]() {
      await db.destroy();
    },
  };
}

async function readFreeBytes(path: string): Promise<number> {
  const space = await statfs(dirname(path));
  return space.bavail * space.bsize;
}

async function exists(path: string): Promise<boolean> {
  try {
    await access(path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw error;
  }
}

const newDatabaseBytes = 64 * 1024 * 1024;
const runningDatabaseBytes = 32 * 1024 * 1024;

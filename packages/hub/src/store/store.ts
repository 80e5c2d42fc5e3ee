// The hub's state: PGlite in the data folder, on a thread of its own (or in memory, on this one), reached through Kysely.
// One process at a time.
import { access, rename, rm, statfs } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isFairleadError } from "@fairlead/kernel";
import { Kysely, sql } from "kysely";
import { type Database, openInMemory } from "./database.ts";
import { storeFull, storeUnusable, toStoreError } from "./errors.ts";
import { migrate } from "./migrate.ts";
import { createPgliteDialect } from "./pglite-dialect.ts";
import { isAwaited, untilServed, waitForFolder } from "./succession.ts";
import type { Tables } from "./tables.ts";
import { openInThread } from "./thread.ts";

export interface Store extends AsyncDisposable {
  readonly db: Kysely<Tables>;
  /** A round trip to the database; throws when it doesn't answer. Fine with one that was handed over. */
  check(): Promise<void>;
  /** How many statements the database has answered so far, whoever asked. */
  readonly answered: number;
  /** Undefined in memory. */
  readonly succession?: Succession | undefined;
}

/** For the hub that follows on the same folder. */
export interface Succession {
  /** Says that this hub serves, to the one before it. */
  announce(): Promise<void>;
  /** Whether another hub waits for the folder. */
  isAwaited(): Promise<boolean>;
  /** Gives the folder to the other hub: from then on every query fails with STORE_HANDED_OVER. */
  letGo(): Promise<void>;
  /** Whether the other hub serves within the time. */
  untilServed(timeoutMs: number): Promise<boolean>;
}

export interface StoreOptions {
  /** Made when it isn't there; undefined keeps everything in memory. */
  readonly dataDir?: string | undefined;
  /** In memory only: starts from a dump instead of making a new database, which takes seconds. */
  readonly image?: Blob | undefined;
  /** How long to wait for another hub to let go of the folder. */
  readonly waitMs?: number | undefined;
  /** Called once when there is something to wait for. */
  readonly onWait?: (() => void) | undefined;
}

export async function openStore(options: StoreOptions = {}): Promise<Store> {
  const { dataDir, image, waitMs = 0, onWait } = options;
  if (dataDir === undefined) return await startStore(() => openInMemory(image));
  try {
    return await openFolder(dataDir, { waitMs, onWait });
  } catch (error) {
    const named = toStoreError(error, dataDir);
    throw isFairleadError(named) ? named : storeUnusable(dataDir, error);
  }
}

async function openFolder(
  dataDir: string,
  waiting: { readonly waitMs: number; readonly onWait: (() => void) | undefined },
): Promise<Store> {
  await using stack = new AsyncDisposableStack();
  const lock = stack.use(await waitForFolder(dataDir, waiting));
  const path = join(dataDir, "db");
  if (!(await exists(path))) await initialize(path);
  const store = stack.use(await startStore(() => openDatabase(path)));
  const owned = stack.move();
  const succession: Succession = {
    announce: () => lock.markServing(),
    isAwaited: () => isAwaited(dataDir),
    async letGo() {
      await store.letGo();
      await lock[Symbol.asyncDispose]();
    },
    untilServed: (timeoutMs) => untilServed(lock, timeoutMs),
  };
  return {
    db: store.db,
    check: store.check,
    get answered() {
      return store.answered;
    },
    succession,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** Makes a new database beside its place and moves it there when it is whole: a kill halfway leaves nothing broken. */
async function initialize(path: string): Promise<void> {
  const draft = `${path}.new`;
  await rm(draft, { recursive: true, force: true });
  if ((await readFreeBytes(path)) < newDatabaseBytes) throw storeFull(undefined);
  const database = await openInThread(draft);
  await database.close();
  await rename(draft, path);
}

/** PGlite doesn't say why it can't start; on a disk without room for a WAL segment, that is why. */
async function openDatabase(path: string): Promise<Database> {
  try {
    return await openInThread(path);
  } catch (error) {
    if ((await readFreeBytes(path)) < runningDatabaseBytes) throw storeFull(error);
    throw storeUnusable(dirname(path), error);
  }
}

async function startStore(open: () => Promise<Database>): Promise<Store & { letGo(): Promise<void> }> {
  const dialect = createPgliteDialect(open);
  let answered = 0;
  const db = new Kysely<Tables>({ dialect, log: () => void answered++ });
  let isLetGo = false;
  try {
    await migrate(db);
  } catch (error) {
    await db.destroy().catch(() => undefined); // the first error is the one to tell
    throw error;
  }
  return {
    db,
    async check() {
      if (!isLetGo) await sql`select 1`.execute(db);
    },
    get answered() {
      return answered;
    },
    async letGo() {
      isLetGo = true;
      await dialect.letGo();
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

// Hubs on one database, each with counters and a bus of its own.
import { randomBytes } from "node:crypto";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Clock, systemClock } from "@fairlead/kernel";
import { sql } from "kysely";
import { inject } from "vitest";
import { createMemoryAdapter, type MemoryHall, openBus } from "../bus/index.ts";
import { type Changes, openChanges } from "../changes/index.ts";
import type { Store, StoreLocation } from "../store/index.ts";
import { openMemoryStore } from "../store/memory-store.fixture.ts";
import { createLogger } from "../telemetry/index.ts";
import { type KeySealFiles, openPki, type Pki } from "./index.ts";

export interface SharedHarness extends AsyncDisposable {
  readonly store: Store;
  /** Codes of errors in warnings of what hubs can't read. */
  readonly warned: readonly (string | undefined)[];
  openHub(options?: HubWishes): Promise<SharedHub>;
  /** A hub that isn't told of others. */
  openAlone(dataDir: string, keySeal?: KeySealFiles): Promise<Pki>;
  /** A file with a key encryption key: the same one for the same name. */
  key(name: string): string;
  folder(name: string): string;
  readonly place: StoreLocation;
}

export interface HubWishes {
  readonly dataDir?: string | undefined;
  readonly keySeal?: KeySealFiles;
  /** For the counters alone: a hub whose clock stands still and whose bus is deaf is away. */
  readonly changesClock?: Clock;
  readonly clock?: Clock;
}

interface HarnessWishes {
  /** Hubs don't hear each other's hints. */
  readonly isDeaf?: boolean;
  /** Without tables. */
  readonly isEmpty?: boolean;
  /** Its key encryption keys are used. */
  readonly keysOf?: SharedHarness;
}

export interface SharedHub {
  readonly pki: Pki;
  readonly changes: Changes;
  /** Counts calls of a listener. */
  readonly changed: () => number;
}

export async function openSharedHarness(options: HarnessWishes = {}): Promise<SharedHarness> {
  const { isDeaf = false, isEmpty = false, keysOf } = options;
  await using undo = new AsyncDisposableStack();
  const store = undo.use(await openMemoryStore({ isEmpty }));
  const { rows } = await sql<{ database: string }>`select current_database() as database`.execute(store.db);
  const root = await mkdtemp(join(tmpdir(), "fairlead-shared-pki-"));
  undo.defer(() => rm(root, { recursive: true, force: true }));
  for (const name of ["one", "two"]) {
    await writeFile(join(root, name), randomBytes(32).toString("base64"), { mode: 0o600 });
  }
  const hall: MemoryHall = new Set();
  const warned: (string | undefined)[] = [];
  const destination = { write: (line: string) => void warned.push(JSON.parse(line).err?.code) };
  const log = createLogger({ level: "warn", name: "test", destination });
  const key = (name: string): string => keysOf?.key(name) ?? join(root, name);
  let hubs = 0;
  const owned = undo.move();
  return {
    store,
    warned,
    key,
    place: { kind: "database", connection: { ...inject("postgres"), database: rows[0]?.database ?? "" } },
    folder: (name) => join(root, "data", name),
    async openAlone(dataDir, keySeal) {
      await mkdir(dataDir, { recursive: true });
      return await openPki({ dataDir, trustDomain, keySeal });
    },
    async openHub({ dataDir, keySeal = { file: key("one") }, changesClock = systemClock, clock } = {}) {
      await using mine = new AsyncDisposableStack();
      hubs += 1;
      const adapter = createMemoryAdapter(isDeaf ? {} : { hall });
      const bus = mine.use(await openBus({ adapter, hubInstanceId: `hub_${hubs}`, clock: systemClock, log }));
      const changes = mine.use(openChanges({ db: store.db, bus, clock: changesClock, log }));
      if (dataDir !== undefined) await mkdir(dataDir, { recursive: true });
      const pki = mine.use(await openPki({ dataDir, trustDomain, keySeal, clock, shared: { db: store.db, changes } }));
      let changed = 0;
      pki.onChanged(async () => void changed++);
      owned.use(mine.move());
      return { pki, changes, changed: () => changed };
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** The authorities that a hub goes by, the leaving one first. */
export function fingerprints({ rollover }: Pki): string[] {
  const all = rollover.is === "single" ? [rollover.current] : [rollover.leaving, rollover.coming];
  return all.map(({ fingerprint }) => fingerprint);
}

const trustDomain = "fairlead.test";

// Finds the authority that a hub goes by, or makes one: in its data folder, or in the database that it shares with
// other hubs. A folder's authority goes into the database once; from then on the folder isn't read.
import type { Clock } from "@fairlead/kernel";
import type { NewAuthority } from "@fairlead/protocol/x509";
import type { Kysely } from "kysely";
import type { Tables } from "../store/index.ts";
import type { AuthorityStore } from "./authority-store.ts";
import { createDatabaseStore, type DatabaseStore } from "./database.ts";
import { pkiErrors } from "./errors.ts";
import { createFolderStore, type FolderStore } from "./folder.ts";
import type { KeySeal } from "./key-seal.ts";
import { type Rollover, signerOf } from "./rollover-state.ts";
import type { SharedDatabase } from "./types.ts";

export interface Kept {
  readonly store: AuthorityStore;
  readonly rollover: Rollover;
}

export async function openKept(options: {
  /** The pki folder; undefined: nothing is kept on disk. */
  readonly path: string | undefined;
  readonly shared: SharedDatabase | undefined;
  /** For a hub that has the database alone: several hubs may have shared it before. */
  readonly ownDatabase?: Kysely<Tables> | undefined;
  /** Goes before all others. */
  readonly given?: AuthorityStore | undefined;
  readonly seal: KeySeal;
  readonly clock: Clock;
  readonly make: () => Promise<NewAuthority>;
}): Promise<Kept> {
  const { path, shared, seal, clock, make } = options;
  const folder = path === undefined ? undefined : createFolderStore({ path, seal, clock });
  if (shared === undefined) {
    const store = options.given ?? folder ?? createMemoryStore();
    await requireNoneOfSeveralHubs(store, options.ownDatabase);
    return { store, rollover: await readOrCreate(store, make) };
  }
  if (seal.keyIds.length === 0) throw pkiErrors.PKI_KEY_ENCRYPTION_KEY_NEEDED();
  const store = createDatabaseStore({ shared, seal, clock });
  if (folder !== undefined) await moveIn(folder, store);
  const rollover = await readOrCreate(store, make);
  // Also where it had none: without the database this hub would make one of its own.
  await folder?.leave(signerOf(rollover).fingerprint);
  await store.settleKeys();
  return { store, rollover };
}

/** Refuse to make a second authority: it would strand the agents that the database knows. */
async function requireNoneOfSeveralHubs(store: AuthorityStore, db: Kysely<Tables> | undefined): Promise<void> {
  if (db === undefined || (await store.read()) !== undefined) return;
  const found = await db.selectFrom("authority").select("fingerprint").limit(1).execute();
  if (found.length > 0) throw pkiErrors.PKI_IN_DATABASE({ mark: "the database" });
}

/** Killed at any point, the next start finds the same authority in both. */
async function moveIn(folder: FolderStore, database: DatabaseStore): Promise<void> {
  const kept = await database.read();
  const leftFor = await folder.leftFor();
  if (leftFor !== undefined) {
    if (kept === undefined)
      throw pkiErrors.PKI_AUTHORITY_ELSEWHERE({ sign: `${folder.mark} shows that the authority was in a database` });
    return await mustKnow(database, { folder: folder.mark, fingerprints: [leftFor] });
  }
  const own = await folder.readWithKeys();
  if (own.length === 0 || (kept === undefined && (await database.adopt(own)))) return;
  await mustKnow(database, { folder: folder.path, fingerprints: own.map(({ fingerprint }) => fingerprint) });
}

async function mustKnow(
  database: DatabaseStore,
  { folder, fingerprints }: { readonly folder: string; readonly fingerprints: readonly string[] },
): Promise<void> {
  if (await database.knows(fingerprints)) return;
  throw pkiErrors.PKI_FOLDER_DIFFERS({ folder, fingerprint: fingerprints.join(", ") });
}

async function readOrCreate(store: AuthorityStore, make: () => Promise<NewAuthority>): Promise<Rollover> {
  const kept = await store.read();
  if (kept !== undefined) return kept;
  const current = await make();
  if (await store.create(current)) return { is: "single", current };
  const others = await store.read();
  if (others === undefined) throw pkiErrors.PKI_UNREADABLE({ place: "the database" });
  return others;
}

/** Keeps nothing: the authority is gone when the process ends. */
function createMemoryStore(): AuthorityStore {
  return {
    read: async () => undefined,
    create: async () => true,
    addNext: async () => true,
    takeOver: async () => true,
  };
}

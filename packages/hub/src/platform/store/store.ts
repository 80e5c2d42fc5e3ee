// The hub's state: PostgreSQL, reached through Kysely. The hub runs it in its data folder, or one of its user's is used.
import { openDatabase } from "./database/open-database.ts";
import { openFolder } from "./folder/open-folder.ts";
import { openThrowaway } from "./folder/open-throwaway.ts";
import type { Store, StoreOptions } from "./types.ts";

export async function openStore(options: StoreOptions = {}): Promise<Store> {
  const { dataDir, database } = options;
  if (database !== undefined) return await openDatabase({ ...options, database });
  return dataDir === undefined ? await openThrowaway(options) : await openFolder({ ...options, dataDir });
}

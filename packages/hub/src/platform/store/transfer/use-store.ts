// A store is used for a moment by a program that isn't its hub, also while that serves.
import { storeErrors } from "../errors.ts";
import { loadMigrations, requireRunnable } from "../migrations.ts";
import { connect } from "./connect.ts";
import { type ServerOptions, type StoreLocation, withSource } from "./locations.ts";
import { readMigrations } from "./read-store.ts";

export type StoreClient = Awaited<ReturnType<typeof connect>>;

/**
 * It must be one that a hub of this version can use as it is. Throws STORE_ABSENT, STORE_OLDER, STORE_NEWER,
 * STORE_SCHEMA_UNRELEASED, STORE_LOCKED.
 */
export async function useStore<T>(
  place: StoreLocation,
  options: ServerOptions,
  run: (client: StoreClient, circumstances: { readonly mayBeServed: boolean }) => Promise<T>,
): Promise<T> {
  return await withSource(place, { ...options, sharing: true }, async (connection, circumstances) => {
    await using client = await connect(connection);
    const done = await readMigrations(client);
    const known = await loadMigrations();
    requireRunnable(known, done);
    const missing = known.find(({ name }) => !done.some((each) => each.name === name));
    if (missing !== undefined) throw storeErrors.STORE_OLDER({ missing: missing.name });
    return await run(client, circumstances);
  });
}

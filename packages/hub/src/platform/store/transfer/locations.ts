// A store is read from and written to a hub's data folder, or a database of somebody's own.

import type { ClientConfig } from "pg";
import { storeErrors } from "../errors.ts";
import { exists } from "../exists.ts";
import { lockFolder } from "../folder/lock.ts";
import { openServer } from "../folder/open-server.ts";
import { findRunningServer, postgresFolder } from "../postgres/index.ts";
import type { StoreOptions } from "../types.ts";
import { abandonRestore, beginRestore, finishRestore, mustBeFinished } from "./unfinished.ts";

export type StoreLocation =
  | { readonly kind: "folder"; readonly dataDir: string }
  | { readonly kind: "database"; readonly connection: ClientConfig };

export type ServerOptions = Pick<StoreOptions, "binDirs" | "path" | "socketDir">;

/** `sharing` says whether a hub may use the folder meanwhile. Throws STORE_LOCKED when it may not. */
export async function withSource<T>(
  place: StoreLocation,
  options: ServerOptions & { readonly sharing: boolean },
  read: (connection: ClientConfig, circumstances: { readonly mayBeServed: boolean }) => Promise<T>,
): Promise<T> {
  if (place.kind === "database") return await read(place.connection, { mayBeServed: true });
  const { dataDir } = place;
  if (!(await exists(postgresFolder(dataDir)))) throw storeErrors.STORE_ABSENT({ place: `The folder ${dataDir}` });
  await using undo = new AsyncDisposableStack();
  try {
    undo.use(await lockFolder(dataDir));
  } catch (error) {
    const running =
      storeErrors.is(error, "STORE_LOCKED") && options.sharing ? await findRunningServer(dataDir) : undefined;
    if (running === undefined) throw error;
    return await read(running, { mayBeServed: true });
  }
  await mustBeFinished(dataDir);
  const server = await openServer({ ...options, dataDir }, { isDurable: true });
  undo.defer(() => server.stop());
  return await read(server.connection, { mayBeServed: false });
}

/** Leaves the place as it was when `write` throws. `names` are its files and folders beside the database. */
export async function withTarget<T>(
  place: StoreLocation,
  options: ServerOptions & { readonly names: readonly string[]; readonly others: "refused" | "kept" },
  write: (connection: ClientConfig) => Promise<T>,
): Promise<T> {
  if (place.kind === "database") return await write(place.connection);
  const { dataDir } = place;
  const names = ["postgres", ...options.names];
  await using _lock = await lockFolder(dataDir);
  await beginRestore(dataDir, { names, others: options.others });
  try {
    const result = await writeInto(dataDir, options, write);
    await finishRestore(dataDir, names);
    return result;
  } catch (error) {
    await abandonRestore(dataDir);
    throw error;
  }
}

async function writeInto<T>(
  dataDir: string,
  options: ServerOptions,
  write: (connection: ClientConfig) => Promise<T>,
): Promise<T> {
  const server = await openServer({ ...options, dataDir }, { isDurable: true });
  try {
    return await write(server.connection);
  } finally {
    await server.stop();
  }
}

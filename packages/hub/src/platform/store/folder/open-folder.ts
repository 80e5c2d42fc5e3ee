// The store in the hub's data folder: a PostgreSQL that the hub runs, for one hub at a time.
import { isFairleadError } from "@fairlead/kernel";
import { openConnections, ownServerShares } from "../connections.ts";
import { endConnections } from "../end-connections.ts";
import { storeErrors } from "../errors.ts";
import { migrate } from "../migrate.ts";
import { endServerOn, postgresFolder, type ServerState } from "../postgres/index.ts";
import { toStore } from "../to-store.ts";
import { isConnectionError, toStoreError } from "../to-store-error.ts";
import { mustBeFinished } from "../transfer/unfinished.ts";
import type { Store, StoreOptions } from "../types.ts";
import { type FolderLock, lockFolder } from "./lock.ts";
import { openServer } from "./open-server.ts";
import { hasSpaceFor, runningDatabaseBytes } from "./space.ts";
import { isAwaited, untilServed, waitForFolder } from "./succession.ts";

export async function openFolder(options: StoreOptions & { readonly dataDir: string }): Promise<Store> {
  try {
    return await open(options);
  } catch (error) {
    const named = toStoreError(error, options.dataDir);
    throw isFairleadError(named) ? named : storeErrors.STORE_UNUSABLE({ dataDir: options.dataDir, cause: error });
  }
}

async function open(options: StoreOptions & { readonly dataDir: string }): Promise<Store> {
  const { dataDir, waitMs = 0, onWait } = options;
  await using undo = new AsyncDisposableStack();
  const lock = undo.use(await waitForFolder(dataDir, { waitMs, onWait }));
  await mustBeFinished(dataDir);
  const server = await openServer(options, { isDurable: true });
  undo.defer(() => server.stop());
  const connections = openConnections({
    connection: server.connection,
    shares: ownServerShares,
    explain: (error) => explain(server.state, dataDir, error),
  });
  undo.defer(() => endConnections(connections));
  const schemaVersion = await migrate(connections.own);

  const owned = undo.move();
  let isLeft = false;
  return toStore(connections, {
    schemaVersion,
    succession: {
      announce: () => lock.markServing(),
      isAwaited: () => isAwaited(dataDir),
      async letGo() {
        await endConnections(connections, () => connections.letGo());
        isLeft = true;
        server.leave();
        await lock[Symbol.asyncDispose]();
      },
      untilServed: (timeoutMs) => untilServed(lock, timeoutMs),
    },
    async [Symbol.asyncDispose]() {
      await owned.disposeAsync();
      if (isLeft) await endUnclaimed(lock, options);
    },
  });
}

/** While the server is down its statements fail in many ways, for one reason. */
function explain(state: ServerState, dataDir: string, cause: unknown): unknown {
  if (state.kind !== "down" || !isConnectionError(cause)) return undefined;
  if (/EROFS|read-only file system/i.test(state.reason)) return storeErrors.STORE_READ_ONLY({ dataDir, cause });
  if (!hasSpaceFor(dataDir, runningDatabaseBytes)) return storeErrors.STORE_FULL({ cause });
  return storeErrors.STORE_DOWN({ reason: state.reason, cause });
}

/** The hub that was to follow never took the folder: the server that was left for it ends with us. */
async function endUnclaimed(lock: FolderLock, { dataDir }: { readonly dataDir?: string | undefined }): Promise<void> {
  if (dataDir === undefined || (await lock.isServedByAnother())) return;
  try {
    await using _lock = await lockFolder(dataDir);
    await endServerOn(postgresFolder(dataDir));
  } catch (error) {
    if (!storeErrors.is(error, "STORE_LOCKED")) throw error;
  }
}

// A store in a folder that is thrown away: for trying things out, and for hubs that keep nothing. Nothing is synced to
// disk.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openConnections, ownServerShares } from "../connections.ts";
import { migrate } from "../migrate.ts";
import { toStore } from "../to-store.ts";
import type { Store, StoreOptions } from "../types.ts";
import { lockFolder } from "./lock.ts";
import { openServer } from "./open-server.ts";
import { removeAbandoned, throwawayPrefix } from "./remove-abandoned.ts";
import { watchOver } from "./watch-over.ts";

export async function openThrowaway(options: StoreOptions): Promise<Store> {
  await using undo = new AsyncDisposableStack();
  // Beside the start: to see that a folder's owner is gone may take seconds.
  void removeAbandoned().catch(() => undefined);
  const dataDir = await mkdtemp(join(tmpdir(), throwawayPrefix));
  undo.use(watchOver(dataDir));
  undo.defer(() => rm(dataDir, { recursive: true, force: true }));
  undo.use(await lockFolder(dataDir));
  const server = await openServer({ ...options, dataDir }, { isDurable: false });
  undo.defer(() => server.stop());
  const connections = openConnections({ connection: server.connection, shares: ownServerShares });
  undo.defer(() => connections.close());
  const schemaVersion = await migrate(connections.own);
  const owned = undo.move();
  return toStore(connections, {
    schemaVersion,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  });
}

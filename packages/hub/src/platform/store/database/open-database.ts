// The store in a PostgreSQL of somebody else. The data folder still holds what isn't in the database.
import { readFile } from "node:fs/promises";
import type { FairleadError } from "@fairlead/kernel";
import type { ClientConfig } from "pg";
import { type Connections, openConnections, type Shares } from "../connections.ts";
import { endConnections } from "../end-connections.ts";
import type { FolderLock } from "../folder/lock.ts";
import { isAwaited, untilServed, waitForFolder } from "../folder/succession.ts";
import { toStore } from "../to-store.ts";
import { readCode, readMessage } from "../to-store-error.ts";
import type { Store } from "../types.ts";
import { databaseErrors, fileUnreadable } from "./errors.ts";
import { explainDatabaseFault } from "./faults.ts";
import { keepDatabase } from "./keeper.ts";
import { migrateInTime } from "./migrate-in-time.ts";
import type { DatabaseOptions } from "./options.ts";
import { toTlsOptions } from "./tls.ts";
import { type DatabaseAddress, parseDatabaseUrl, showAddress } from "./url.ts";

export async function openDatabase(options: {
  readonly database: DatabaseOptions;
  /** Locked, too: two hubs with one folder would write one journal. */
  readonly dataDir?: string | undefined;
  readonly waitMs?: number | undefined;
  readonly onWait?: ((reason: FairleadError) => void) | undefined;
}): Promise<Store> {
  const { database, dataDir, waitMs = 0, onWait } = options;
  const startedMs = performance.now();
  await using undo = new AsyncDisposableStack();
  const address = await readAddress(database);
  const where = showAddress(address);
  const folder = dataDir === undefined ? undefined : undo.use(await waitForFolder(dataDir, { waitMs, onWait }));
  const connection = await toConnection(address, database);
  let connections: Connections | undefined;
  const keeper = await keepDatabase({
    connection,
    where,
    onWait,
    onChange: database.onChange,
    isShared: database.isShared,
    waitMs: Math.max(0, waitMs - (performance.now() - startedMs)),
    onSilent: () => connections?.cut(),
  });
  undo.defer(() => keeper.release());
  const opened = openConnections({
    connection,
    shares: toShares(database.connections),
    admit: () => keeper.admit(),
    ...(keeper.way.kind === "pooled" ? { opening: keeper.way.opening } : { onConnect: keeper.way.join }),
    settings: keeper.way.kind === "pooled" ? statementSettings : { ...statementSettings, ...connectionSettings },
    explain: (error) => explainDatabaseFault(where, error),
  });
  connections = opened;
  undo.defer(() => endConnections(opened));
  const schemaVersion = await migrateInTime(opened.own, {
    onWait,
    waitMs: waitMs - (performance.now() - startedMs),
  }).catch((error: unknown) => {
    throw readCode(error) === duplicateTable
      ? databaseErrors.STORE_UNFIT({ where, reason: `${readMessage(error)}, and isn't the hub's` })
      : error;
  });

  const owned = undo.move();
  return toStore(opened, {
    schemaVersion,
    lost: keeper.taken,
    isPooled: keeper.way.kind === "pooled",
    succession: folder === undefined || dataDir === undefined ? undefined : follow(dataDir, folder),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  });

  function follow(dataDir: string, lock: FolderLock): Store["succession"] {
    return {
      announce: () => lock.markServing(),
      isAwaited: () => isAwaited(dataDir),
      async letGo() {
        await endConnections(opened, () => opened.letGo());
        await keeper.release();
        await lock[Symbol.asyncDispose]();
      },
      untilServed: (timeoutMs) => untilServed(lock, timeoutMs),
    };
  }
}

/** The keeper and the probe have one connection each. People's questions get less than half of the others. */
function toShares(connections: number): Shares {
  const left = connections - 2;
  const asked = Math.floor(left * (3 / 7));
  return { own: left - asked, asked };
}

async function readAddress({ source }: DatabaseOptions): Promise<DatabaseAddress> {
  return parseDatabaseUrl(source.kind === "url" ? source.url : await readText(source.path));
}

/** Serves commands that read or write the database beside the hub, or instead of it. Throws STORE_URL_INVALID. */
export async function toDatabaseConnection(database: DatabaseOptions): Promise<ClientConfig> {
  return await toConnection(await readAddress(database), database);
}

async function toConnection(address: DatabaseAddress, database: DatabaseOptions): Promise<ClientConfig> {
  const { host, port, user, database: name } = address;
  if (database.caFile !== undefined) await readText(database.caFile);
  return {
    host,
    port,
    user,
    database: name,
    // Without a function the driver would look for one in the environment. A file is read again: passwords change.
    password: async () => (database.source.kind === "file" ? await readAddress(database) : address).password,
    ssl: toTlsOptions(address, database),
  };
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    throw fileUnreadable(path, error);
  }
}

/** The hub counts on these, whatever the server's own settings are. */
const statementSettings = {
  datestyle: "ISO",
  intervalstyle: "postgres",
  timezone: "UTC",
  bytea_output: "hex",
  extra_float_digits: "1",
  standard_conforming_strings: "on",
  default_transaction_isolation: "read committed",
  jit: "off",
};

/** These end connections of a dead hub soon. */
const connectionSettings = { tcp_keepalives_idle: "15", tcp_keepalives_interval: "5", tcp_keepalives_count: "3" };

const duplicateTable = "42P07";

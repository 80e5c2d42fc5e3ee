// `fairlead-hub store …`: carries one of these commands out and says what came of it.
import { resolve } from "node:path";
import { secretInFlag } from "@fairlead/kernel/settings";
import {
  type HubConfig,
  hasPassword,
  hubProgram,
  readEnvironment,
  type StoreCommand,
} from "./platform/config/index.ts";
import { readDatabase } from "./platform/index.ts";
import {
  backupStore,
  copyStore,
  restoreStore,
  type StoreLocation,
  type StoreSummary,
  toDatabaseConnection,
} from "./platform/store/index.ts";
import { hubVersion } from "./version.ts";

export async function runStoreCommand(command: StoreCommand, config: HubConfig): Promise<string> {
  const { dataDir, postgresBinDir: binDirs, postgresSocketDir: socketDir } = config;
  const options = { hubVersion, binDirs, socketDir, path: readEnvironment()["PATH"] };
  switch (command.kind) {
    case "backup": {
      const { to } = command;
      const summary = await backupStore({ ...options, from: await findStore(config), filesFolder: dataDir, to });
      return `wrote the backup ${to}: ${describe(summary)}`;
    }
    case "restore": {
      const { from, revokesIssued } = command;
      const summary = await restoreStore({
        ...options,
        from,
        filesFolder: dataDir,
        revokesIssued,
        to: await findStore(config),
      });
      const ended = revokesIssued
        ? "sign-ins, join tokens, agents' identities and robots' tokens"
        : "sign-ins and join tokens";
      return `restored ${from} into ${dataDir}: ${describe(summary)}; ended: ${ended}`;
    }
    case "copy": {
      const [from, to] = [await toPlace(command.from, config), await toPlace(command.to, config)];
      return `copied and compared: ${describe(await copyStore({ ...options, from, to }))}`;
    }
  }
}

/** Where a hub with these settings keeps its state. */
export async function findStore(config: HubConfig): Promise<StoreLocation> {
  const database = readDatabase(config);
  if (database === undefined) return { kind: "folder", dataDir: config.dataDir };
  return { kind: "database", connection: await toDatabaseConnection(database) };
}

/** `database` is the one that the settings name, so that its password is in no process list. */
async function toPlace(text: string, config: HubConfig): Promise<StoreLocation> {
  if (text === "database") return await findStore(config);
  if (!/^postgres(?:ql)?:\/\//.test(text)) return { kind: "folder", dataDir: resolve(text) };
  if (hasPassword(text)) throw secretInFlag(hubProgram, "databaseUrl");
  const { databaseCaFile: caFile, databaseConnections: connections } = config;
  const database = { source: { kind: "url", url: text } as const, caFile, connections };
  return { kind: "database", connection: await toDatabaseConnection(database) };
}

function describe({ tables, files }: StoreSummary): string {
  const rows = Object.values(tables).reduce((sum, table) => sum + table.rows, 0);
  return `${Object.keys(tables).length} tables, ${rows} rows, ${files} files`;
}

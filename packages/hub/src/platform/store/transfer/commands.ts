// `fairlead-hub store backup|restore|copy`.
import type { Client } from "pg";
import { loadMigrations, type Migration } from "../migrations.ts";
import { encodeRecords, readBackup, verifyBackup } from "./backup-file.ts";
import { distrust } from "./distrust.ts";
import { fileNames } from "./files.ts";
import { type ServerOptions, type StoreLocation, withSource, withTarget } from "./locations.ts";
import { readStore } from "./read-store.ts";
import type { StoreSummary } from "./records.ts";
import { writeBackupFile } from "./write-file.ts";
import { writeStore } from "./write-store.ts";

export interface TransferOptions extends ServerOptions {
  readonly hubVersion: string;
}

/** While a hub serves from there, too. `to` is a file that isn't there yet, or `-` for the standard output. */
export async function backupStore(
  options: TransferOptions & {
    readonly from: StoreLocation;
    readonly filesFolder: string | undefined;
    readonly to: string;
  },
): Promise<StoreSummary> {
  const { from, to, filesFolder } = options;
  return await withSource(from, { ...options, sharing: true }, async (connection) => {
    const summary = Promise.withResolvers<StoreSummary>();
    const records = async function* (): ReturnType<typeof readStore> {
      for await (const record of readStore({ connection, filesFolder }, options)) {
        yield record;
        if (record.kind === "end") summary.resolve(record.summary);
      }
    };
    await writeBackupFile(to, encodeRecords(records()));
    return await summary.promise;
  });
}

/** Reads the file twice: once to see that it is whole. Sign-ins and join tokens end. */
export async function restoreStore(
  options: TransferOptions & {
    readonly from: string;
    readonly filesFolder: string;
    readonly to: StoreLocation;
    /** Agents' identities and robots' tokens end, too. */
    readonly revokesIssued?: boolean;
    /** All that this hub knows, unless others are given. */
    readonly migrations?: readonly Migration[];
  },
): Promise<StoreSummary> {
  const { from, to, filesFolder, revokesIssued = false, migrations = await loadMigrations() } = options;
  const settle = (client: Client): Promise<void> => distrust(client, { revokesIssued });
  await verifyBackup(from, { migrations });
  return await withTarget(to, { ...options, names: fileNames, others: "refused" }, (connection) =>
    writeStore({ connection, filesFolder, records: readBackup(from), migrations, settle }),
  );
}

/** Nobody may use the source meanwhile. Files are copied from folder to folder; a database alone has none. */
export async function copyStore(
  options: TransferOptions & { readonly from: StoreLocation; readonly to: StoreLocation },
): Promise<StoreSummary> {
  const { from, to } = options;
  const isBoth = from.kind === "folder" && to.kind === "folder";
  const places = {
    filesFolder: isBoth ? to.dataDir : undefined,
    names: isBoth ? fileNames : [],
    others: isBoth ? ("refused" as const) : ("kept" as const),
  };
  const migrations = await loadMigrations();
  const source = isBoth ? from.dataDir : undefined;
  return await withSource(from, { ...options, sharing: false }, (connection) =>
    withTarget(to, { ...options, ...places }, (target) =>
      writeStore({
        connection: target,
        filesFolder: places.filesFolder,
        records: readStore({ connection, filesFolder: source }, options),
        migrations,
      }),
    ),
  );
}

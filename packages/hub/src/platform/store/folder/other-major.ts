// Data of one major version of PostgreSQL is read by that version only. When a newer one is preferred, the hub copies its
// data at start: the old server reads, the new one writes, all is compared, and a rename makes the new folder the one that
// counts. Killed at any point before, nothing has changed, and the next start begins anew.
//   17/ -> 18.copy/ -> 18/, and 17/ -> 17.before-18/, which the next start removes
import { open, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { Client } from "pg";
import { storeErrors } from "../errors.ts";
import { loadMigrations } from "../migrations.ts";
import {
  type Account,
  type Binaries,
  endServerOn,
  initialize,
  type PostgresPaths,
  readPassword,
  runServer,
} from "../postgres/index.ts";
import { readStore } from "../transfer/read-store.ts";
import { writeStore } from "../transfer/write-store.ts";
import { hasSpaceFor, measureFolder, newDatabaseBytes } from "./space.ts";

export interface MajorChange {
  readonly account: Account;
  readonly from: { readonly binaries: Binaries; readonly places: PostgresPaths };
  readonly to: { readonly binaries: Binaries; readonly places: PostgresPaths };
}

export async function copyToMajor({ account, from, to }: MajorChange): Promise<void> {
  const { root } = to.places;
  await endServerOn(root);
  await removeDrafts(root);
  if (!hasSpaceFor(root, newDatabaseBytes + (await measureFolder(from.places.dataFolder))))
    throw storeErrors.STORE_FULL();
  const draft = toDraft(to.places);
  await initialize({ places: draft, binaries: to.binaries, account, isDurable: true });
  await using undo = new AsyncDisposableStack();
  const target = await runServer({ places: draft, binaries: to.binaries, account, isDurable: true });
  undo.defer(() => target.stop());
  const source = await runServer({ ...from, account, isDurable: true });
  undo.defer(() => source.stop());
  const records = readStore({ connection: source.connection, filesFolder: undefined }, { hubVersion: "" });
  const migrations = await loadMigrations();
  await writeStore({ connection: target.connection, filesFolder: undefined, records, migrations });
  await usePassword(target.connection, (await readPassword(from.places)) ?? "");
  await undo.disposeAsync();
  await rename(draft.dataFolder, to.places.dataFolder);
  await syncFolder(root);
  await removeDrafts(root);
  for (const path of [draft.socketFolder, draft.logFile]) await rm(path, { recursive: true, force: true });
  await keepOlder(root, to.places.major);
}

/** The folders of older versions, once there is one of a newer one. */
export async function keepOlder(root: string, major: number): Promise<void> {
  for (const name of await readdir(root)) {
    if (!/^\d+$/.test(name) || Number(name) >= major) continue;
    await rename(join(root, name), join(root, `${name}.before-${major}`));
    await syncFolder(root);
  }
}

/** Removes the data that earlier starts kept. */
export async function removeKept(root: string): Promise<void> {
  for (const name of await readdir(root)) {
    if (/^\d+\.before-\d+$/.test(name)) await rm(join(root, name), { recursive: true, force: true });
  }
}

async function removeDrafts(root: string): Promise<void> {
  for (const name of await readdir(root)) {
    if (/^(?:\d+|password)\.copy(?:\.new)?$/.test(name)) await rm(join(root, name), { recursive: true, force: true });
  }
}

/** Both servers run at once. The name of the second one's socket is no longer than that of the first. */
function toDraft(places: PostgresPaths): PostgresPaths {
  return {
    ...places,
    dataFolder: `${places.dataFolder}.copy`,
    passwordFile: `${places.passwordFile}.copy`,
    socketFolder: `${places.socketFolder.slice(0, -1)}_`,
    logFile: join(places.root, "copy.log"),
  };
}

/** The new folder's own was for the time of the copy, so that only one thing has to be renamed. */
async function usePassword(connection: object, password: string): Promise<void> {
  const client = new Client(connection);
  client.on("error", () => undefined); // the statement says it, too
  await client.connect();
  try {
    await client.query(`alter role current_user password ${client.escapeLiteral(password)}`);
  } finally {
    await client.end();
  }
}

async function syncFolder(path: string): Promise<void> {
  await using handle = await open(path, "r");
  await handle.sync();
}

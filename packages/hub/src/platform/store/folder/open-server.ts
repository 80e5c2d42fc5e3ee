// The hub's own server on a folder that is locked by us: made when there is none yet, of another version when that is

// preferred, and running.
import { mkdir, readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { storeErrors } from "../errors.ts";
import { exists } from "../exists.ts";
import {
  type Binaries,
  chooseAccount,
  findBinaries,
  initialize,
  type Launch,
  letThrough,
  linksFolder,
  makeSocketFolder,
  type PostgresServer,
  postgresFolder,
  runServer,
  type ServerSettings,
  toPlaces,
} from "../postgres/index.ts";
import type { StoreOptions } from "../types.ts";
import { copyToMajor, keepOlder, removeKept } from "./other-major.ts";
import { hasSpaceFor, newDatabaseBytes, runningDatabaseBytes } from "./space.ts";

export async function openServer(
  options: StoreOptions & { readonly dataDir: string },
  { isDurable, maxConnections }: ServerSettings,
): Promise<PostgresServer> {
  const { dataDir, binDirs, path, socketDir, onServerChange, onMajorChange } = options;
  const root = postgresFolder(dataDir);
  await mkdir(root, { recursive: true, mode: 0o700 });
  const found = await findBinaries({ binDirs, path, linksFolder: linksFolder(dataDir) });
  const { binaries, older } = choose(found, await listMajors(root));
  const places = toPlaces({ dataDir, major: binaries.major, socketDir });
  await mkdir(dirname(places.socketFolder), { recursive: true, mode: 0o711 });
  const programs = [binaries, ...(older === undefined ? [] : [older])].map(({ binDir }) => join(binDir, "postgres"));
  const account = await chooseAccount([join(root, "any"), ...programs, places.socketFolder], {
    hubFolder: dataDir,
    path,
  });
  for (const folder of [dataDir, root]) await letThrough(account, folder);
  await makeSocketFolder({ places, account });
  const launch = { places, binaries, account, isDurable, maxConnections };
  if (older !== undefined) {
    const change = { from: older.version, to: binaries.version };
    onMajorChange?.({ ...change, isDone: false });
    const from = { binaries: older, places: toPlaces({ dataDir, major: older.major, socketDir }) };
    await copyToMajor({ account, from, to: { binaries, places } });
    onMajorChange?.({ ...change, isDone: true });
  } else if (!(await exists(places.dataFolder))) await makeData(launch);
  const server = await runServer(launch, { onChange: onServerChange });
  // The start that made the copy keeps what it was made from; a later one that comes this far doesn't need it any more.
  if (older === undefined) await removeKept(root);
  await keepOlder(root, binaries.major);
  return server;
}

async function listMajors(root: string): Promise<readonly number[]> {
  return (await readdir(root)).filter((name) => /^\d+$/.test(name)).map(Number);
}

/** `older` is there when its data is to be copied first. */
function choose(
  found: readonly Binaries[],
  majors: readonly number[],
): { readonly binaries: Binaries; readonly older?: Binaries } {
  const [preferred] = found;
  if (preferred === undefined) throw new Error("findBinaries gave none");
  if (majors.length === 0) return { binaries: preferred };
  const newest = Math.max(...majors);
  const fitting = found.find(({ major }) => major === newest);
  const versions = found.map(({ version }) => version);
  if (fitting === undefined) throw storeErrors.STORE_OTHER_MAJOR({ found: newest, versions: versions.join(" and ") });
  return preferred.major > newest ? { binaries: preferred, older: fitting } : { binaries: fitting };
}

async function makeData(launch: Launch): Promise<void> {
  const { root } = launch.places;
  if (!hasSpaceFor(root, newDatabaseBytes)) throw storeErrors.STORE_FULL();
  try {
    await initialize(launch);
  } catch (error) {
    throw hasSpaceFor(root, runningDatabaseBytes) ? error : storeErrors.STORE_FULL({ cause: error });
  }
}

// The folder of the server's socket. Whoever owns it can put a server of their own in the place of ours, to which the hub
// would tell all that it knows. In a folder that everybody may write, such as /tmp, anybody can make it first.
import { chmod, lstat, mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { storeErrors } from "../errors.ts";
import type { Account } from "./account.ts";
import type { PostgresPaths } from "./paths.ts";

/** Throws STORE_SOCKET_FOLDER_FOREIGN before anything in it is changed. */
export async function makeSocketFolder(options: {
  readonly places: PostgresPaths;
  readonly account: Account;
}): Promise<void> {
  const { places, account } = options;
  const { socketFolder: path, root } = places;
  const above = dirname(path);
  await mkdir(path, { recursive: true, mode: 0o700 });
  // Within the data folder nobody else can have made it.
  if (above !== root) await mustBeOurs({ path, above, account });
  await chmod(path, 0o700);
}

async function mustBeOurs(options: {
  readonly path: string;
  readonly above: string;
  readonly account: Account;
}): Promise<void> {
  const { path, above, account } = options;
  const own = process.getuid?.() ?? root;
  const owners = account.kind === "setuid" ? [own, account.uid] : [own];
  const found = await lstat(path);
  if (!found.isDirectory()) throw storeErrors.STORE_SOCKET_FOLDER_FOREIGN({ folder: path, reason: "it is a link" });
  if (!owners.includes(found.uid))
    throw storeErrors.STORE_SOCKET_FOLDER_FOREIGN({ folder: path, reason: `user ${found.uid} owns it` });
  const { uid } = await stat(above);
  if (![root, ...owners].includes(uid))
    throw storeErrors.STORE_SOCKET_FOLDER_FOREIGN({ folder: path, reason: `user ${uid} owns the folder above it` });
}

const root = 0;

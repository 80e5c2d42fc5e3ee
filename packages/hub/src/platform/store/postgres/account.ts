// The user that the server runs as. PostgreSQL refuses to run as root, and its programs want an entry of /etc/passwd. A
// hub that isn't root runs it as itself; a hub that is root gives up its rights for it, in one of two ways:
//   setuid     another user and group. All folders on the way must let that user through.
//   namespace  a user namespace in which the hub's user has another number and no rights outside. Files stay the hub's
//              own. Also for users without an entry, where the system allows it.
import { execFile, type SpawnOptions } from "node:child_process";
import { access, chmod, constants, lchown, lstat, readdir, realpath, stat } from "node:fs/promises";
import { userInfo } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import { storeErrors } from "../errors.ts";
import { defaultPath } from "./path.ts";

export type Account =
  | { readonly kind: "own" }
  | { readonly kind: "setuid"; readonly uid: number; readonly gid: number }
  | { readonly kind: "namespace"; readonly unshare: string };

/**
 * `paths` are those that the server has to reach; `hubFolder` is opened for it if need be.
 * Throws STORE_AS_ROOT when root can't give up its rights.
 */
export async function chooseAccount(
  paths: readonly string[],
  { hubFolder, path = defaultPath }: { readonly hubFolder: string; readonly path?: string | undefined },
): Promise<Account> {
  if (process.getuid?.() !== 0) {
    const wanted = isUserKnown() ? undefined : await findNamespaces(path);
    return wanted === undefined ? { kind: "own" } : { kind: "namespace", unshare: wanted };
  }
  const folders = await Promise.all(paths.map((path) => isOpenToOthers(path, hubFolder)));
  if (folders.every(Boolean) && (await canSetUid())) {
    return { kind: "setuid", uid: nobody, gid: nobody };
  }
  const unshare = await findNamespaces(path);
  if (unshare === undefined) throw storeErrors.STORE_AS_ROOT();
  return { kind: "namespace", unshare };
}

/** The command line and the options with which `program` runs in this account. */
export function runAs(
  account: Account,
  program: string,
  args: readonly string[],
): { readonly command: string; readonly args: readonly string[]; readonly options: SpawnOptions } {
  switch (account.kind) {
    case "own":
      return { command: program, args, options: {} };
    case "setuid":
      return { command: program, args, options: { uid: account.uid, gid: account.gid } };
    case "namespace":
      return { command: account.unshare, args: [...toNobody, program, ...args], options: {} };
  }
}

/** Gives the folder and all in it to the account. Looks no further when the folder and its entries are the account's. */
export async function giveTo(account: Account, folder: string): Promise<void> {
  if (account.kind === "own") return;
  const own = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
  const { uid, gid } = account.kind === "setuid" ? account : own;
  const paths = [folder, ...(await readdir(folder)).map((entry) => join(folder, entry))];
  const owners = await Promise.all(paths.map(async (path) => (await lstat(path)).uid));
  if (owners.every((owner) => owner === uid)) return;
  // The folder itself comes last: a kill in between leaves one that is looked through again.
  for (const entry of await readdir(folder, { recursive: true })) await lchown(join(folder, entry), uid, gid);
  await lchown(folder, uid, gid);
}

/** True when this process's user has an entry of /etc/passwd. It has none in containers of OpenShift, for example. */
export function isUserKnown(): boolean {
  try {
    userInfo();
    return true;
  } catch {
    return false;
  }
}

/** Others may pass through the folder but see nothing of what is in it. */
export async function letThrough(account: Account, folder: string): Promise<void> {
  if (account.kind === "setuid") await chmod(folder, 0o711);
}

/** Root without its capabilities, as in a container that drops them all, can't. */
async function canSetUid(): Promise<boolean> {
  try {
    await run(process.execPath, ["--version"], { uid: nobody, gid: nobody, cwd: "/", timeout: 10_000 });
    return true;
  } catch (error) {
    // The new user may not be able to reach Node itself; what counts is that it was allowed to try.
    return (error as NodeJS.ErrnoException).code === "EACCES";
  }
}

/** True when anybody may enter each folder above it, or the hub can open it. */
async function isOpenToOthers(path: string, hubFolder: string): Promise<boolean> {
  const ours = await realpath(hubFolder);
  for (let folder = await realpath(dirname(path)); ; folder = dirname(folder)) {
    const isOurs = folder === ours || folder.startsWith(`${ours}/`);
    if (!isOurs && ((await stat(folder)).mode & 0o001) === 0) return false;
    if (folder === dirname(folder)) return true;
  }
}

async function findNamespaces(path: string): Promise<string | undefined> {
  for (const folder of path.split(delimiter)) {
    const unshare = join(folder, "unshare");
    try {
      await access(unshare, constants.X_OK);
      await run(unshare, [...toNobody, "true"], { timeout: 10_000 });
      return unshare;
    } catch {
      // Another one on PATH may do.
    }
  }
  return undefined;
}

const run = promisify(execFile);
/** The number that Linux gives to nobody in particular. */
const nobody = 65_534;
const toNobody = ["--user", `--map-user=${nobody}`, `--map-group=${nobody}`];

// The pki folder. Each change is one rename: killed at any point, the next start finds the state before it or after it.
//
//   ca.pem, ca.key     the authority; while two overlap, the leaving one
//   next/              the coming one, in files of the same names
//   next-takes-over/   `next` under this name is about to become the authority: the next start finishes that
//   in-database        says that all this isn't read any more, since the hub goes by an authority in its database
import { chmod, mkdir, open, readFile, rename, rm, rmdir, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type Clock, isFairleadError } from "@fairlead/kernel";
import { type Authority, loadAuthority, type NewAuthority } from "@fairlead/protocol/x509";
import type { AuthorityStore } from "./authority-store.ts";
import { pkiErrors } from "./errors.ts";
import { type KeySeal, purposeOf } from "./key-seal.ts";
import type { Rollover } from "./rollover-state.ts";

export interface FolderStore extends AuthorityStore {
  /** The authority, then the coming one; none when the folder has none. */
  readWithKeys(): Promise<readonly NewAuthority[]>;
  /** The fingerprint of an authority in the hub's database, since the hub goes by that; undefined where it never did. */
  leftFor(): Promise<string | undefined>;
  leave(fingerprint: string): Promise<void>;
  readonly path: string;
  /** The file by which it is left. */
  readonly mark: string;
}

/** A folder has one hub at a time, so nobody else changes it. */
export function createFolderStore(options: {
  readonly path: string;
  readonly seal: KeySeal;
  readonly clock: Clock;
}): FolderStore {
  const { path: folder, seal, clock } = options;
  const next = join(folder, "next");
  const takingOver = join(folder, "next-takes-over");
  const mark = join(folder, "in-database");

  return {
    path: folder,
    mark,
    read: () => orUnreadable(read),
    readWithKeys: () => orUnreadable(readWithKeys),
    create: (current) => orUnwritable(() => place(current, folder)),
    addNext: (_state, coming) => orUnwritable(() => place(coming, next)),
    takeOver: () =>
      orUnwritable(async () => {
        await rename(next, takingOver);
        await syncFolder(folder);
        await finishTakeOver();
      }),
    leftFor: () => orUnreadable(leftFor),
    async leave(fingerprint) {
      await orUnwritable(async () => {
        if (await isThere(mark)) return;
        await mkdir(folder, { recursive: true, mode: 0o700 });
        await replaceFile(mark, `${fingerprint}\n${markText}`);
      });
    },
  };

  async function read(): Promise<Rollover | undefined> {
    if (await isThere(mark)) throw pkiErrors.PKI_IN_DATABASE({ mark });
    const [leaving, coming] = (await readWithKeys()).map(withoutKey);
    if (leaving === undefined) return undefined;
    return coming === undefined ? { is: "single", current: leaving } : { is: "overlapping", leaving, coming };
  }

  async function readWithKeys(): Promise<readonly NewAuthority[]> {
    await finishTakeOver();
    const leaving = await readAuthority(folder);
    const coming = await readAuthority(next);
    if (leaving === undefined && coming !== undefined) throw pkiErrors.PKI_UNREADABLE({ place: folder });
    return [leaving, coming].filter((authority) => authority !== undefined);
  }

  async function leftFor(): Promise<string | undefined> {
    const text = await readIfThere(mark);
    if (text === undefined) return undefined;
    const [fingerprint] = /^[0-9a-f]{64}(?=\n)/.exec(text) ?? [];
    if (fingerprint === undefined) throw pkiErrors.PKI_UNREADABLE({ place: mark });
    return fingerprint;
  }

  /** May have been cut off after either file. */
  async function finishTakeOver(): Promise<void> {
    if (!(await isThere(takingOver))) return;
    for (const name of [keyFile, certFile]) {
      if (await isThere(join(takingOver, name))) await rename(join(takingOver, name), join(folder, name));
    }
    await syncFolder(folder);
    await rmdir(takingOver);
    await syncFolder(folder);
  }

  async function readAuthority(from: string): Promise<NewAuthority | undefined> {
    const certPem = await readIfThere(join(from, certFile));
    const sealed = await readIfThere(join(from, keyFile));
    if (certPem === undefined && sealed === undefined && (from === folder || !(await isThere(from)))) return undefined;
    if (certPem === undefined || sealed === undefined) throw pkiErrors.PKI_UNREADABLE({ place: folder });
    await closeToOthers(from, 0o700);
    await closeToOthers(join(from, keyFile), 0o600);
    const purpose = purposeOf(certPem);
    const { keyPem, isCurrent } = seal.open(sealed, purpose);
    const authority = await loadAuthority({ certPem, keyPem, clock });
    if (!isCurrent) await replaceFile(join(from, keyFile), seal.close(keyPem, purpose));
    return { ...authority, keyPem };
  }

  /** Certificate and key appear together or not at all. */
  async function place({ caPem, keyPem }: NewAuthority, at: string): Promise<void> {
    const draft = `${at}.new`;
    await rm(draft, { recursive: true, force: true });
    await mkdir(draft, { recursive: true, mode: 0o700 });
    await writeDurably(join(draft, keyFile), seal.close(keyPem, purposeOf(caPem)));
    await writeDurably(join(draft, certFile), caPem);
    await syncFolder(draft);
    await rename(draft, at);
    await syncFolder(dirname(at));
  }

  async function orUnreadable<T>(run: () => Promise<T>): Promise<T> {
    try {
      return await run();
    } catch (error) {
      throw isFairleadError(error) ? error : pkiErrors.PKI_UNREADABLE({ place: folder, cause: error });
    }
  }

  async function orUnwritable(run: () => Promise<void>): Promise<true> {
    try {
      await run();
      return true;
    } catch (error) {
      throw isFairleadError(error) ? error : pkiErrors.PKI_UNWRITABLE({ folder, cause: error });
    }
  }
}

function withoutKey({ keyPem: _, ...authority }: NewAuthority): Authority {
  return authority;
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

async function isThere(path: string): Promise<boolean> {
  try {
    await (await open(path, "r")).close();
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw error;
  }
}

/** A copy by other means than ours opens the key to others. A volume's group may keep what another user owns. */
async function closeToOthers(path: string, mode: number): Promise<void> {
  const found = await stat(path);
  if ((found.mode & 0o077) === 0) return;
  await chmod(path, mode).catch((error: unknown) => {
    if ((found.mode & 0o007) !== 0) throw error;
  });
}

async function replaceFile(path: string, text: string): Promise<void> {
  const draft = `${path}.new`;
  await rm(draft, { force: true });
  await writeDurably(draft, text);
  await rename(draft, path);
  await syncFolder(dirname(path));
}

async function writeDurably(path: string, text: string): Promise<void> {
  await using file = await open(path, "wx", 0o600);
  await file.writeFile(text);
  await file.sync();
}

async function syncFolder(path: string): Promise<void> {
  await using folder = await open(path, "r");
  await folder.sync();
}

const certFile = "ca.pem";
const keyFile = "ca.key";
const markText = `That certificate authority is, or was, the one of the hub's database. The hub doesn't read this folder any more.
Without this file a hub that isn't told of others would go by ca.pem and ca.key here, or make new ones.
`;

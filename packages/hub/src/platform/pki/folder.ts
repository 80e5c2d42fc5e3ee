// The pki folder. Each change is one rename: killed at any point, the next start finds the state before it or after it.
//
//   ca.pem, ca.key     the authority; while two overlap, the leaving one
//   next/              the coming one, in files of the same names
//   next-takes-over/   `next` under this name is about to become the authority: the next start finishes that
import { mkdir, open, readFile, rename, rm, rmdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type Clock, isFairleadError } from "@fairlead/kernel";
import { type Authority, describeCertificate, loadAuthority, type NewAuthority } from "@fairlead/protocol/x509";
import { pkiErrors } from "./errors.ts";
import type { KeySeal } from "./key-seal.ts";
import type { Rollover } from "./rollover-state.ts";

export interface PkiFolder {
  /** Undefined when there is none; anything halfway is an error, because making a new one would strand every agent. */
  read(): Promise<Rollover | undefined>;
  create(authority: NewAuthority): Promise<void>;
  addNext(authority: NewAuthority): Promise<void>;
  takeOver(): Promise<void>;
}

export function createPkiFolder(options: {
  readonly path: string;
  readonly seal: KeySeal;
  readonly clock: Clock;
}): PkiFolder {
  const { path: folder, seal, clock } = options;
  const next = join(folder, "next");
  const takingOver = join(folder, "next-takes-over");

  return {
    read: () => orUnreadable(read),
    create: (authority) => orUnwritable(() => place(authority, folder)),
    addNext: (authority) => orUnwritable(() => place(authority, next)),
    takeOver: () =>
      orUnwritable(async () => {
        await rename(next, takingOver);
        await syncFolder(folder);
        await finishTakeOver();
      }),
  };

  async function read(): Promise<Rollover | undefined> {
    await finishTakeOver();
    const leaving = await readAuthority(folder);
    const coming = await readAuthority(next);
    if (leaving === undefined && coming === undefined) return undefined;
    if (leaving === undefined) throw pkiErrors.PKI_UNREADABLE({ folder, cause: undefined });
    return coming === undefined ? { is: "single", current: leaving } : { is: "overlapping", leaving, coming };
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

  async function readAuthority(from: string): Promise<Authority | undefined> {
    const certPem = await readIfThere(join(from, certFile));
    const sealed = await readIfThere(join(from, keyFile));
    if (certPem === undefined && sealed === undefined && (from === folder || !(await isThere(from)))) return undefined;
    if (certPem === undefined || sealed === undefined) throw pkiErrors.PKI_UNREADABLE({ folder, cause: undefined });
    const purpose = purposeOf(certPem);
    const { keyPem, isCurrent } = seal.open(sealed, purpose);
    const authority = await loadAuthority({ certPem, keyPem, clock });
    if (!isCurrent) await replaceFile(join(from, keyFile), seal.close(keyPem, purpose));
    return authority;
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
      throw isFairleadError(error) ? error : pkiErrors.PKI_UNREADABLE({ folder, cause: error });
    }
  }

  async function orUnwritable<T>(run: () => Promise<T>): Promise<T> {
    try {
      return await run();
    } catch (error) {
      throw isFairleadError(error) ? error : pkiErrors.PKI_UNWRITABLE({ folder, cause: error });
    }
  }
}

/** A key is sealed for its own certificate: one that was put in another's place can't be opened. */
function purposeOf(certPem: string): string {
  try {
    return `ca-key ${describeCertificate(certPem).fingerprint}`;
  } catch {
    // Loading the authority says what is wrong with it.
    return "ca-key";
  }
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

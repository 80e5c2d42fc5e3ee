// A hub keeps files beside its database: its certificate authority, audit records on their way, recordings.
import { type FileHandle, mkdir, open, readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { storeErrors } from "../errors.ts";
import type { StoreRecord } from "./records.ts";

/** The journal turns from the first file to the second, so a turn in between shows the same lines twice, never none. */
const single = ["audit-journal.jsonl", "audit-journal.jsonl.1"];
const folders = ["audit-left", "pki", "recordings"];

/** Names in the data folder of all that this writes. */
export const fileNames: readonly string[] = [...single, ...folders];

export async function* readFiles(dataDir: string): AsyncGenerator<StoreRecord> {
  for (const path of single) yield* readOne(dataDir, path);
  for (const folder of folders) {
    const entries = await readdir(join(dataDir, folder), { recursive: true, withFileTypes: true }).catch(ignoreMissing);
    for (const entry of entries ?? []) {
      const path = join(entry.parentPath, entry.name).slice(join(dataDir, "/").length);
      if (entry.isFile()) yield* readOne(dataDir, path);
    }
  }
}

/** Reads the length that the file has when it is opened: a recording may grow meanwhile. It may be gone: they expire. */
async function* readOne(dataDir: string, path: string): AsyncGenerator<StoreRecord> {
  const opened = await open(join(dataDir, path), "r").catch(ignoreMissing);
  if (opened === undefined) return;
  await using file = opened;
  const { size } = await file.stat();
  yield { kind: "file", path };
  for (let at = 0; at < size; ) {
    const buffer = Buffer.alloc(Math.min(chunkBytes, size - at));
    const { bytesRead } = await file.read({ buffer, position: at });
    if (bytesRead === 0) return;
    at += bytesRead;
    yield { kind: "bytes", bytes: buffer.subarray(0, bytesRead) };
  }
}

export interface FileWriter extends AsyncDisposable {
  begin(path: string): Promise<void>;
  write(bytes: Buffer): Promise<void>;
  /** The last one is whole, too. */
  finish(): Promise<void>;
}

export function createFileWriter(dataDir: string): FileWriter {
  let file: FileHandle | undefined;
  const writer: FileWriter = {
    async begin(path) {
      await writer.finish();
      if (!isOurs(path))
        throw storeErrors.STORE_BACKUP_DAMAGED({ reason: `it names a file ${JSON.stringify(path.slice(0, 100))}` });
      await mkdir(dirname(join(dataDir, path)), { recursive: true, mode: 0o700 });
      file = await open(join(dataDir, path), "wx", 0o600);
    },
    async write(bytes) {
      if (file === undefined) throw storeErrors.STORE_BACKUP_DAMAGED({ reason: "it has data that belongs to no file" });
      await file.writeFile(bytes);
    },
    async finish() {
      await file?.sync();
      await file?.close();
      file = undefined;
    },
    async [Symbol.asyncDispose]() {
      await file?.close();
    },
  };
  return writer;
}

/** A backup may come from anywhere: it doesn't say where in the system a file goes. */
export function isOurs(path: string): boolean {
  const [first = "", ...rest] = path.split("/");
  if (rest.length === 0) return single.includes(first);
  return folders.includes(first) && rest.every((name) => /^[\w.@=+-]+$/.test(name) && name !== "." && name !== "..");
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throw error;
  return undefined;
}

const chunkBytes = 48 * 1024;

// The files of a folder, as a ConfigMap's mount has them: links into a hidden folder that is swapped as a whole. A reading
// that fell into a swap may have files of both sides, so it counts only when the next one is the same.
import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { type FileHandle, open, opendir } from "node:fs/promises";
import { join } from "node:path";
import { isFairleadError } from "@fairlead/kernel";
import { declarationErrors } from "./errors.ts";

export interface FolderText {
  readonly files: readonly FileText[];
  /** Tells this content from any other. */
  readonly digest: string;
}

export interface FileText {
  readonly name: string;
  readonly text: string;
}

export async function readFolder(folder: string): Promise<FolderText> {
  let last = await readOnce(folder);
  for (let tries = 0; tries < mostTries; tries++) {
    const next = await readOnce(folder);
    if (next.digest === last.digest) return next;
    last = next;
  }
  throw declarationErrors.DECLARATIONS_UNREADABLE({ place: folder, reason: "its files keep changing" });
}

async function readOnce(folder: string): Promise<FolderText> {
  const names = await listNames(folder);
  if (names.length === 0) throw declarationErrors.DECLARATIONS_NONE({ folder });
  const files: FileText[] = [];
  let leftBytes = folderBounds.bytes;
  for (const name of names) {
    const text = await readText(folder, name, leftBytes);
    leftBytes -= Buffer.byteLength(text);
    files.push({ name, text });
  }
  const digest = createHash("sha256").update(JSON.stringify(files)).digest("hex");
  return { files, digest };
}

/** In their order, without hidden ones such as a ConfigMap's own. */
async function listNames(folder: string): Promise<string[]> {
  const names: string[] = [];
  let looked = 0;
  try {
    for await (const { name } of await opendir(folder)) {
      if (++looked > folderBounds.entries) throw tooMany(folder, `it has more than ${folderBounds.entries} entries`);
      if (/^[^.].*\.ya?ml$/.test(name)) names.push(name);
    }
  } catch (error) {
    throw isFairleadError(error) ? error : unreadable(folder, error);
  }
  if (names.length > folderBounds.files) throw tooMany(folder, `they contain more than ${folderBounds.files} files`);
  return names.sort();
}

async function readText(folder: string, name: string, mostBytes: number): Promise<string> {
  const path = join(folder, name);
  try {
    // A pipe would be waited for.
    await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    if (!(await file.stat()).isFile()) {
      throw declarationErrors.DECLARATIONS_UNREADABLE({ place: path, reason: "it isn't a file" });
    }
    const bytes = await readBytes(file, mostBytes + 1);
    if (bytes.length > mostBytes) throw tooMany(folder, `they take more than ${folderBounds.bytes} bytes`);
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    throw isFairleadError(error) ? error : unreadable(path, error);
  }
}

async function readBytes(file: FileHandle, mostBytes: number): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let size = 0;
  while (size < mostBytes) {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(Math.min(pieceBytes, mostBytes - size)));
    if (bytesRead === 0) break;
    pieces.push(buffer.subarray(0, bytesRead));
    size += bytesRead;
  }
  return Buffer.concat(pieces);
}

function tooMany(folder: string, problem: string) {
  return declarationErrors.DECLARATIONS_TOO_MANY({ folder, problem });
}

function unreadable(place: string, error: unknown) {
  const { code } = error as NodeJS.ErrnoException;
  const reason = code === "ERR_ENCODING_INVALID_ENCODED_DATA" ? "it isn't UTF-8" : (code ?? "unknown reason");
  return declarationErrors.DECLARATIONS_UNREADABLE({ place, reason, cause: error });
}

const folderBounds = { entries: 4_096, files: 256, bytes: 8 * 1024 * 1024 } as const;
const pieceBytes = 64 * 1024;
const mostTries = 5;

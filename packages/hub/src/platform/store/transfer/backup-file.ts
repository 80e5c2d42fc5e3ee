// A backup as a file: lines, compressed by gzip. The first character of a line says what it is:
//   H head   F file   D its bytes, base64   T table   R row   S sequences   E end with counts and digests   Z SHA-256 of all before
import { createHash, type Hash } from "node:crypto";
import { createReadStream } from "node:fs";
import { createGunzip } from "node:zlib";
import { storeErrors } from "../errors.ts";
import { type Migration, requireKnown } from "../migrations.ts";
import { createTableDigest, type TableDigest } from "./digest.ts";
import { isOurs } from "./files.ts";
import { type StoreHead, type StoreRecord, type StoreSummary, storeFormat, storeFormatVersion } from "./records.ts";

export async function* encodeRecords(records: AsyncIterable<StoreRecord>): AsyncGenerator<Buffer> {
  const hash = createHash("sha256");
  for await (const record of records) {
    const bytes = Buffer.from(encode(record));
    hash.update(bytes);
    yield bytes;
  }
  yield Buffer.from(`Z${hash.digest("hex")}\n`);
}

function encode(record: StoreRecord): string {
  switch (record.kind) {
    case "head":
      return `H${JSON.stringify(record.head)}\n`;
    case "file":
      return `F${JSON.stringify(record.path)}\n`;
    case "bytes":
      return `D${record.bytes.toString("base64")}\n`;
    case "table":
      return `T${JSON.stringify({ name: record.name, columns: record.columns })}\n`;
    case "rows":
      return record.lines.map((line) => `R${line}\n`).join("");
    case "sequences":
      return `S${JSON.stringify(record.sequences)}\n`;
    case "end":
      return `E${JSON.stringify(record.summary)}\n`;
  }
}

/** Throws STORE_BACKUP_FOREIGN or STORE_BACKUP_DAMAGED. A reader that comes to the end knows that the file is whole. */
export async function* readBackup(path: string): AsyncGenerator<StoreRecord> {
  const hash = createHash("sha256");
  let rows: string[] = [];
  let size = 0;
  let state: "begin" | "within" | "end" = "begin";
  for await (const line of readLines(path)) {
    if (state === "begin" && !isHead(line)) throw storeErrors.STORE_BACKUP_FOREIGN({ path });
    if (state === "end") throw storeErrors.STORE_BACKUP_DAMAGED({ reason: "it has data after its end" });
    if (line[0] === letterOfRow) {
      rows.push(line.toString("utf8", 1));
      size += line.byteLength;
      addLine(hash, line);
      if (size < pieceBytes && rows.length < mostRows) continue;
    }
    if (rows.length > 0) yield { kind: "rows", lines: rows };
    rows = [];
    size = 0;
    if (line[0] === letterOfRow) continue;
    if (line[0] === letterOfSum) {
      if (line.toString("utf8", 1) !== hash.digest("hex"))
        throw storeErrors.STORE_BACKUP_DAMAGED({ reason: "its checksum doesn't match" });
      state = "end";
      continue;
    }
    addLine(hash, line);
    yield decode(line);
    state = "within";
  }
  if (state === "begin") throw storeErrors.STORE_BACKUP_FOREIGN({ path });
  if (state !== "end") throw storeErrors.STORE_BACKUP_DAMAGED({ reason: "its end is missing" });
}

/** Reads all of it, so that nothing is written because of a backup that isn't whole. */
export async function verifyBackup(
  path: string,
  { migrations }: { readonly migrations: readonly Migration[] },
): Promise<StoreHead> {
  let head: StoreHead | undefined;
  let summary: StoreSummary | undefined;
  let digest: TableDigest | undefined;
  const digests = new Map<string, TableDigest>();
  for await (const record of readBackup(path)) {
    switch (record.kind) {
      case "head": {
        ({ head } = record);
        if (head.version > storeFormatVersion) throw storeErrors.STORE_NEWER({ found: `format ${head.version}` });
        requireKnown(migrations, head.migrations);
        break;
      }
      case "file":
        if (!isOurs(record.path))
          throw storeErrors.STORE_BACKUP_DAMAGED({
            reason: `it names a file ${JSON.stringify(record.path.slice(0, 100))}`,
          });
        break;
      case "table":
        digest = createTableDigest();
        digests.set(record.name, digest);
        break;
      case "rows":
        digest?.add(record.lines);
        break;
      case "end":
        ({ summary } = record);
        break;
      case "bytes":
      case "sequences":
    }
  }
  if (head === undefined || summary === undefined)
    throw storeErrors.STORE_BACKUP_DAMAGED({ reason: "its end is missing" });
  for (const [name, wanted] of Object.entries(summary.tables)) {
    const found = digests.get(name)?.summarize();
    if (found?.rows !== wanted.rows || found.digest !== wanted.digest)
      throw storeErrors.STORE_BACKUP_DAMAGED({ reason: `its table ${name} differs` });
  }
  return head;
}

function isHead(line: Buffer): boolean {
  return line.toString("utf8", 0, 200).startsWith(`H{"format":"${storeFormat}",`);
}

function decode(line: Buffer): StoreRecord {
  const letter = String.fromCharCode(line[0] ?? 0);
  if (letter === "D") return { kind: "bytes", bytes: Buffer.from(line.toString("latin1", 1), "base64") };
  try {
    const content: unknown = JSON.parse(line.toString("utf8", 1));
    // The checksum is checked in the end, and the writer of these lines wrote it, too.
    if (letter === "H") return { kind: "head", head: content as StoreHead };
    if (letter === "F") return { kind: "file", path: String(content) };
    if (letter === "T") return { kind: "table", ...(content as { name: string; columns: string[] }) };
    if (letter === "S") return { kind: "sequences", sequences: content as { name: string; value: string }[] };
    if (letter === "E") return { kind: "end", summary: content as StoreSummary };
  } catch (error) {
    throw storeErrors.STORE_BACKUP_DAMAGED({ reason: "a line is unreadable", cause: error });
  }
  throw storeErrors.STORE_BACKUP_DAMAGED({ reason: "it has a line of an unknown kind" });
}

/** Lines come without the newline at their end. Bytes behind the last newline are an error. */
async function* readLines(path: string): AsyncGenerator<Buffer> {
  let isBegun = false;
  let rest: Buffer[] = [];
  let restBytes = 0;
  const file = createReadStream(path);
  const unzip = createGunzip();
  file.on("error", (error) => unzip.destroy(error));
  file.pipe(unzip);
  try {
    for await (const chunk of unzip as AsyncIterable<Buffer>) {
      isBegun = true;
      let from = 0;
      for (let at = chunk.indexOf(newline); at >= 0; at = chunk.indexOf(newline, from)) {
        yield Buffer.concat([...rest, chunk.subarray(from, at)]);
        rest = [];
        restBytes = 0;
        from = at + 1;
      }
      rest.push(chunk.subarray(from));
      restBytes += chunk.byteLength - from;
      if (restBytes > longestLineBytes) throw storeErrors.STORE_BACKUP_DAMAGED({ reason: "a line is too long" });
    }
  } catch (error) {
    if (!String((error as NodeJS.ErrnoException).code).startsWith("Z_")) throw error;
    throw isBegun || (error as NodeJS.ErrnoException).code === "Z_BUF_ERROR"
      ? storeErrors.STORE_BACKUP_DAMAGED({ reason: "it is truncated or was changed", cause: error })
      : storeErrors.STORE_BACKUP_FOREIGN({ path, cause: error });
  } finally {
    file.destroy();
    unzip.destroy();
  }
  if (restBytes > 0) throw storeErrors.STORE_BACKUP_DAMAGED({ reason: "its last line is truncated" });
}

function addLine(hash: Hash, line: Buffer): void {
  hash.update(line).update("\n");
}

const newline = 0x0a;
const letterOfRow = "R".charCodeAt(0);
const letterOfSum = "Z".charCodeAt(0);
const pieceBytes = 2 * 1024 * 1024;
const mostRows = 1_000;
/** PostgreSQL's own limit of a value is a gigabyte; a string of Node's half of that. */
const longestLineBytes = 400 * 1024 * 1024;

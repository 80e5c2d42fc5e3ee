// Reads one file out of an archive. It knows only the part of the ZIP format for that (APPNOTE.TXT 4.3.12 and 4.3.16).
import { inflateRawSync } from "node:zlib";

const endSignature = 0x06054b50;
const entrySignature = 0x02014b50;
const endSizeBytes = 22;
const deflated = 8;

/** The content of the file with that name; undefined when the archive has none. */
export function readZipEntry(archive: Buffer, name: string): Buffer | undefined {
  const end = archive.lastIndexOf(Buffer.from([0x50, 0x4b, 5, 6]), archive.length - endSizeBytes + 3);
  if (end < 0 || archive.readUInt32LE(end) !== endSignature) throw new Error("not a ZIP archive");
  const count = archive.readUInt16LE(end + 10);
  let at = archive.readUInt32LE(end + 16);
  for (let i = 0; i < count && archive.readUInt32LE(at) === entrySignature; i++) {
    const nameLength = archive.readUInt16LE(at + 28);
    const found = archive.toString("utf8", at + 46, at + 46 + nameLength);
    if (found === name) return extract(archive, at);
    at += 46 + nameLength + archive.readUInt16LE(at + 30) + archive.readUInt16LE(at + 32);
  }
  return undefined;
}

/** The sizes come from the directory's entry: the file's own header may leave them out. */
function extract(archive: Buffer, entry: number): Buffer {
  const method = archive.readUInt16LE(entry + 10);
  const sizeBytes = archive.readUInt32LE(entry + 20);
  const header = archive.readUInt32LE(entry + 42);
  const start = header + 30 + archive.readUInt16LE(header + 26) + archive.readUInt16LE(header + 28);
  const content = archive.subarray(start, start + sizeBytes);
  return method === deflated ? inflateRawSync(content) : content;
}

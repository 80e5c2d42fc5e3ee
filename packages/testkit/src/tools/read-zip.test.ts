import { deflateRawSync } from "node:zlib";
import { expect, test } from "vitest";
import { readZipEntry } from "./read-zip.ts";

const text = Buffer.from("a file's text, again and again and again");

test("a file comes out of an archive whole, packed or not, whatever lies around it", () => {
  const archive = zip([
    { name: "first", content: Buffer.from("PK\x05\x06 is also text") },
    { name: "folder/packed", content: text, isPacked: true },
    { name: "folder/stored", content: text },
  ]);
  expect(readZipEntry(archive, "folder/packed")).toEqual(text);
  expect(readZipEntry(archive, "folder/stored")).toEqual(text);
});

test("a name that isn't in the archive gives nothing, and what is no archive is refused", () => {
  expect(readZipEntry(zip([{ name: "a", content: text }]), "b")).toBeUndefined();
  expect(() => readZipEntry(Buffer.alloc(100), "a")).toThrow("not a ZIP archive");
});

function zip(files: { name: string; content: Buffer; isPacked?: boolean }[]): Buffer {
  const parts: Buffer[] = [];
  const entries: Buffer[] = [];
  let at = 0;
  for (const { name, content, isPacked = false } of files) {
    const data = isPacked ? deflateRawSync(content) : content;
    // The local header says nothing of the sizes, as streaming writers make it.
    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x04034b50, 0);
    local.writeUInt16LE(name.length, 26);
    const entry = Buffer.alloc(46);
    entry.writeUInt32LE(0x02014b50, 0);
    entry.writeUInt16LE(isPacked ? 8 : 0, 10);
    entry.writeUInt32LE(data.length, 20);
    entry.writeUInt32LE(content.length, 24);
    entry.writeUInt16LE(name.length, 28);
    entry.writeUInt32LE(at, 42);
    entries.push(entry, Buffer.from(name));
    parts.push(local, Buffer.from(name), data);
    at += local.length + name.length + data.length;
  }
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(files.length, 10);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...parts, ...entries, end]);
}

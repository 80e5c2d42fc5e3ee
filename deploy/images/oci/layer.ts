// A layer: a tar archive whose every byte follows from what is in it. Everything belongs to root and can be written by
// nobody, so that any user can run it and none can change it.
import { createHash, type Hash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { type Readable, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { type Header, pack } from "tar-stream";
import { orderTree, type TreeEntry } from "../contents/tree.ts";

export interface Layer {
  /** The name of its content in the image's history. */
  readonly title: string;
  /** The compressed archive lies here until it is in a layout. */
  readonly file: string;
  readonly digest: string;
  readonly sizeBytes: number;
  /** Digest of the archive before it is compressed. */
  readonly diffId: string;
}

export async function writeLayer(options: {
  readonly title: string;
  readonly entries: readonly TreeEntry[];
  readonly file: string;
  /** The time of every file, in seconds since 1970. */
  readonly epoch: number;
}): Promise<Layer> {
  const { title, entries, file, epoch } = options;
  const archive = pack();
  const [diffId, digest] = [createHash("sha256"), createHash("sha256")];
  let sizeBytes = 0;
  const compressed = watch((chunk) => {
    digest.update(chunk);
    sizeBytes += chunk.length;
  });
  const written = pipeline(
    archive as unknown as Readable,
    watch((chunk) => void diffId.update(chunk)),
    createGzip({ level: 6 }),
    compressed,
    createWriteStream(file),
  );
  const filled = fill();
  await Promise.all([written, filled]);
  return { title, file, digest: named(digest), sizeBytes, diffId: named(diffId) };

  async function fill(): Promise<void> {
    try {
      for (const entry of orderTree(entries)) {
        const content = entry.kind === "file" ? await entry.read() : Buffer.alloc(0);
        await new Promise<void>((resolve, reject) => {
          archive.entry(
            { ...headerOf(entry), size: content.length, mtime: new Date(epoch * 1000) },
            content,
            (error) => (error ? reject(error) : resolve()),
          );
        });
      }
      archive.finalize();
    } catch (error) {
      archive.destroy(error as Error);
      throw error;
    }
  }
}

function headerOf(entry: TreeEntry): Partial<Header> & Pick<Header, "name"> {
  const owner = { uid: 0, gid: 0, uname: "", gname: "" };
  switch (entry.kind) {
    case "folder":
      return { ...owner, name: `${entry.path}/`, type: "directory", mode: 0o755 };
    case "link":
      return { ...owner, name: entry.path, type: "symlink", linkname: entry.target, mode: 0o777 };
    case "file":
      return { ...owner, name: entry.path, type: "file", mode: entry.isExecutable ? 0o755 : 0o644 };
  }
}

function watch(see: (chunk: Buffer) => void): Transform {
  return new Transform({
    transform(chunk: Buffer, _encoding, next) {
      see(chunk);
      next(null, chunk);
    },
  });
}

function named(hash: Hash): string {
  return `sha256:${hash.digest("hex")}`;
}

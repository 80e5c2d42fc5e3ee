import { open, rename, rm } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { storeErrors } from "../errors.ts";
import { exists } from "../exists.ts";
import { toStoreError } from "../to-store-error.ts";

/** The file appears when it is whole. It holds keys, so nobody else may read it. */
export async function writeBackupFile(path: string, pieces: AsyncIterable<Buffer>): Promise<void> {
  if (path === "-") {
    await pipeline(Readable.from(pieces, { objectMode: false }), createGzip(), process.stdout, { end: false });
    return;
  }
  if (await exists(path)) throw storeErrors.STORE_NOT_EMPTY({ place: "The file", found: path });
  const draft = `${path}.part`;
  try {
    await rm(draft, { force: true });
    await using file = await open(draft, "wx", 0o600);
    await pipeline(
      Readable.from(pieces, { objectMode: false }),
      createGzip(),
      async (chunks: AsyncIterable<Buffer>) => {
        for await (const chunk of chunks) await file.writeFile(chunk);
      },
    );
    await file.sync();
    await rename(draft, path);
    await using folder = await open(dirname(resolve(path)), "r");
    await folder.sync();
  } catch (error) {
    await rm(draft, { force: true });
    throw toStoreError(error, path);
  }
}

import { randomUUID } from "node:crypto";
import { link, open, rename, rm } from "node:fs/promises";
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
  // Another backup may be on its way to the same place.
  const draft = `${path}.${randomUUID()}.part`;
  try {
    await using file = await open(draft, "wx", 0o600);
    await pipeline(
      Readable.from(pieces, { objectMode: false }),
      createGzip(),
      async (chunks: AsyncIterable<Buffer>) => {
        for await (const chunk of chunks) await file.writeFile(chunk);
      },
    );
    await file.sync();
    await giveName(draft, path);
    await using folder = await open(dirname(resolve(path)), "r");
    await folder.sync();
  } catch (error) {
    await rm(draft, { force: true });
    throw toStoreError(error, path);
  }
}

/** What has come to be there since, a link to nowhere included, stays. Not all file systems can promise that. */
async function giveName(draft: string, path: string): Promise<void> {
  try {
    await link(draft, path);
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") throw storeErrors.STORE_NOT_EMPTY({ place: "The file", found: path });
    if (!withoutLinks.includes(code)) throw error;
    await rename(draft, path);
    return;
  }
  await rm(draft);
}

const withoutLinks = ["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"];

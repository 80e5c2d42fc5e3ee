// A layer that is dear to compress, such as Node's, is kept under everything that it follows from.
import { createHash, randomBytes } from "node:crypto";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { cachePath } from "../cache.ts";
import type { Layer } from "./layer.ts";

/** Raised when writeLayer makes other bytes of the same entries. */
const format = 1;

export async function cachedLayer(options: {
  /** The layer's bytes depend on this, on this program and on the compressor. */
  readonly inputs: readonly (string | number)[];
  readonly write: (file: string) => Promise<Layer>;
}): Promise<Layer> {
  const { inputs, write } = options;
  const everything = JSON.stringify([format, process.versions["zlib"], process.arch, ...inputs]);
  const key = createHash("sha256").update(everything).digest("hex").slice(0, 32);
  const [file, record] = [cachePath("layers", `${key}.tar.gz`), cachePath("layers", `${key}.json`)];
  const known = await readRecord(record);
  if (known !== undefined && (await digestOf(file)) === known.digest) return { ...known, file };
  const draft = `${file}.${randomBytes(6).toString("hex")}`;
  await mkdir(dirname(file), { recursive: true });
  try {
    const layer = await write(draft);
    await rename(draft, file);
    await writeFile(draft, JSON.stringify(layer));
    await rename(draft, record);
    return { ...layer, file };
  } finally {
    await rm(draft, { force: true });
  }
}

async function readRecord(path: string): Promise<Layer | undefined> {
  try {
    return JSON.parse(await readFile(path, "utf8")) as Layer;
  } catch {
    return undefined;
  }
}

async function digestOf(path: string): Promise<string> {
  const content = await readFile(path).catch(() => Buffer.alloc(0));
  return `sha256:${createHash("sha256").update(content).digest("hex")}`;
}

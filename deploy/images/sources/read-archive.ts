// Reads archives into memory: .deb files by dpkg-deb, which knows how they are packed, and npm's packages.
import { spawn } from "node:child_process";
import { createReadStream } from "node:fs";
import type { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { extract } from "tar-stream";
import { imageErrors } from "../errors.ts";

export interface ArchivedFile {
  /** The path has no leading "./". */
  readonly path: string;
  readonly content: Buffer;
  readonly mode: number;
  /** A symbolic link's target. */
  readonly link?: string | undefined;
}

type Wanted = (path: string) => boolean;

/** Files and links of a .deb file. */
export async function readDeb(file: string, isWanted: Wanted): Promise<ArchivedFile[]> {
  const child = spawn("dpkg-deb", ["--fsys-tarfile", file], { stdio: ["ignore", "pipe", "ignore"] });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  const [files, code] = await Promise.all([readTar(child.stdout, isWanted), ended]).catch((cause: unknown) => {
    throw imageErrors.IMAGE_PACKAGES_UNAVAILABLE({ wanted: `The content of ${file}`, cause });
  });
  if (code !== 0) throw imageErrors.IMAGE_PACKAGES_UNAVAILABLE({ wanted: `The content of ${file}` });
  return files;
}

/** Files of an npm package; their paths start with "package/". */
export async function readNpmArchive(file: string, isWanted: Wanted): Promise<ArchivedFile[]> {
  const gunzip = createGunzip();
  const [files] = await Promise.all([readTar(gunzip, isWanted), pipeline(createReadStream(file), gunzip)]);
  return files;
}

async function readTar(stream: Readable, isWanted: Wanted): Promise<ArchivedFile[]> {
  const files: ArchivedFile[] = [];
  const entries = extract();
  const piped = pipeline(stream, entries as unknown as NodeJS.WritableStream);
  for await (const entry of entries) {
    const { name, type, linkname, mode = 0 } = entry.header;
    const path = name.replace(/^\.\//, "");
    if (type !== "directory" && isWanted(path)) {
      files.push({ path, content: await buffer(entry), mode, ...(type === "symlink" && { link: linkname ?? "" }) });
    } else {
      entry.resume();
    }
  }
  await piped;
  return files;
}

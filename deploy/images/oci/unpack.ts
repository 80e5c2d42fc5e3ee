import { execFile } from "node:child_process";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { argumentInvalid } from "../errors.ts";
import type { Arch } from "../platform.ts";
import { blobPath, type Descriptor } from "./blobs.ts";
import type { Platform } from "./image.ts";

const run = promisify(execFile);

/** The file system that a container of this image starts with: its layers, one over the other. */
export async function unpackImage(options: {
  readonly layoutDir: string;
  readonly arch: Arch;
  readonly targetDir: string;
}): Promise<void> {
  const { layoutDir, arch, targetDir } = options;
  const readBlob = async (digest: string) => JSON.parse(await readFile(blobPath(layoutDir, digest), "utf8")) as unknown;
  const entry = JSON.parse(await readFile(join(layoutDir, "index.json"), "utf8")) as { manifests: [Descriptor] };
  const index = (await readBlob(entry.manifests[0].digest)) as { manifests: (Descriptor & { platform: Platform })[] };
  const image = index.manifests.find(({ platform }) => platform.architecture === arch);
  if (image === undefined) throw argumentInvalid(`${layoutDir} has no image for ${arch}.`);
  const { layers } = (await readBlob(image.digest)) as { layers: readonly Descriptor[] };
  await mkdir(targetDir, { recursive: true });
  for (const { digest } of layers) {
    await run("tar", ["--extract", "--gzip", "--file", blobPath(layoutDir, digest), "--directory", targetDir]);
  }
}

// Fetches a published file, checks its digest, and keeps the programs that it has. Nothing of a file whose digest differs
// is unpacked.
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { chmod, mkdtemp, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import { downloadFailed, testkitErrors } from "../errors.ts";
import type { Download } from "./downloads.ts";
import { openUrl } from "./open-url.ts";

/** The limit for the whole file: several hundred megabytes over a slow line. */
const timeoutMs = 30 * 60_000;
const stallTimeoutMs = 30_000;
const progressIntervalMs = 5_000;
const run = promisify(execFile);

interface FetchOptions {
  readonly onProgress: (line: string) => void;
  readonly signal: AbortSignal | undefined;
}

/** Puts all programs of the file into a folder that is there, each in one step. Throws TOOLS_DOWNLOAD_FAILED, TOOLS_DOWNLOAD_MISMATCH. */
export async function downloadPrograms(
  download: Download & { readonly url: string },
  options: FetchOptions & { readonly folder: string },
): Promise<void> {
  const { folder, ...fetching } = options;
  const draft = await mkdtemp(join(folder, ".download-"));
  try {
    const file = join(draft, download.fileName);
    const actual = await fetchFile(download, { file, ...fetching });
    if (actual !== download.digest.hex) {
      const { algorithm, hex } = download.digest;
      throw testkitErrors.TOOLS_DOWNLOAD_MISMATCH({ url: download.url, algorithm, actual, expected: hex });
    }
    for (const [name, path] of Object.entries(download.programs)) {
      const program = path === "." ? file : await unpack({ archive: file, path, folder: draft });
      await chmod(program, 0o755);
      await rename(program, join(folder, name));
    }
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

/** Gives the digest of what was written. */
async function fetchFile(
  { url, digest }: Download & { readonly url: string },
  { file, onProgress, signal }: FetchOptions & { readonly file: string },
): Promise<string> {
  const stalled = new AbortController();
  const watchdog = setTimeout(() => stalled.abort(new Error("nothing came for 30 s")), stallTimeoutMs);
  const signals = [AbortSignal.timeout(timeoutMs), stalled.signal, ...(signal ? [signal] : [])];
  const hash = createHash(digest.algorithm);
  try {
    const response = await openUrl(url, { signal: AbortSignal.any(signals) });
    const progress = createProgress({ url, sizeBytes: Number(response.headers["content-length"]), onProgress });
    await pipeline(
      response,
      async function* (chunks: AsyncIterable<Uint8Array>) {
        for await (const chunk of chunks) {
          watchdog.refresh();
          hash.update(chunk);
          progress.add(chunk.length);
          yield chunk;
        }
      },
      createWriteStream(file),
    );
    return hash.digest("hex");
  } catch (error) {
    signal?.throwIfAborted();
    throw downloadFailed(url, error);
  } finally {
    clearTimeout(watchdog);
  }
}

function createProgress(options: {
  readonly url: string;
  readonly sizeBytes: number;
  readonly onProgress: (line: string) => void;
}): { add(bytes: number): void } {
  const { url, sizeBytes, onProgress } = options;
  const size = sizeBytes > 0 ? ` of ${toMegabytes(sizeBytes)}` : "";
  let [received, toldAt] = [0, performance.now()];
  onProgress(`downloading ${url}${sizeBytes > 0 ? ` (${toMegabytes(sizeBytes)} MB)` : ""}`);
  return {
    add(bytes) {
      received += bytes;
      if (performance.now() - toldAt < progressIntervalMs) return;
      toldAt = performance.now();
      onProgress(`  ${toMegabytes(received)}${size} MB`);
    },
  };
}

function toMegabytes(bytes: number): string {
  return (bytes / 1_000_000).toFixed(bytes < 10_000_000 ? 1 : 0);
}

async function unpack(options: { archive: string; path: string; folder: string }): Promise<string> {
  const { archive, path, folder } = options;
  await run("tar", ["-xzf", archive, "-C", folder, "--no-same-owner", path]).catch((cause: unknown) => {
    throw downloadFailed(archive, cause);
  });
  return join(folder, path);
}

// Records of a hub that has let its store go: they go to a file, and the hub that has the store now takes them from
// there when the file is whole. A file that never became whole, since its hub was killed, is taken after a while.
import { randomUUID } from "node:crypto";
import { appendFile, mkdir, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { type Clock, repeat } from "@fairlead/kernel";
import type { Logger } from "../../platform/telemetry/index.ts";
import type { Entry } from "./types.ts";

export interface Spill {
  write(entries: readonly Entry[]): Promise<void>;
  /** All is there. */
  finish(): Promise<void>;
}

export function createSpill(folder: string): Spill {
  const path = join(folder, `${randomUUID()}.jsonl`);
  let isBegun = false;
  return {
    async write(entries) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const lines = entries.map((entry) => `${JSON.stringify(entry)}\n`).join("");
      await appendFile(`${path}${unfinished}`, lines, { mode: 0o600 });
      isBegun = true;
    },
    async finish() {
      if (isBegun) await rename(`${path}${unfinished}`, path);
    },
  };
}

/** Looks now and then for what other hubs left. */
export function takeSpills(options: {
  readonly folder: string;
  readonly take: (entries: readonly Entry[]) => Promise<void>;
  readonly clock: Clock;
  readonly log: Logger;
}): AsyncDisposable {
  const { folder, take, clock, log } = options;
  return repeat({
    clock,
    firstMs: 0,
    intervalMs: lookEveryMs,
    run: takeAll,
    onError: (error) => log.error({ err: error, folder }, "audit records of an earlier hub can't be taken"),
  });

  async function takeAll(): Promise<void> {
    for (const name of await readdir(folder).catch(() => [])) {
      const path = join(folder, name);
      if (!(await isReady(path))) continue;
      const entries = (await readFile(path, "utf8")).split("\n").flatMap(parseEntry);
      await take(entries);
      await rm(path);
      log.info({ records: entries.length }, "took audit records of an earlier hub");
    }
  }

  async function isReady(path: string): Promise<boolean> {
    if (path.endsWith(".jsonl")) return true;
    return path.endsWith(unfinished) && clock.now() - (await stat(path)).mtimeMs > abandonedMs;
  }
}

/** The last line of a hub that was killed may be torn. */
function parseEntry(line: string): readonly Entry[] {
  try {
    return line === "" ? [] : [JSON.parse(line) as Entry];
  } catch {
    return [];
  }
}

const unfinished = ".part";
const lookEveryMs = 2_000;
/** Longer than any drain. */
const abandonedMs = 2 * 3_600_000;

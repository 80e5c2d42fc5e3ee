// Records that are made and not yet in the store: each few milliseconds' lines go to a file in one cheap write, and the
// store gets a second's worth in one statement. The lines are the chain's own, so that a hub which finds some knows by
// their numbers and hashes which of them the store lacks, and takes each of them once.
import { type FileHandle, open, readFile, rename } from "node:fs/promises";
import type { Logger } from "../telemetry/index.ts";
import { followChain } from "./chain.ts";
import { auditTaken } from "./errors.ts";
import { type AuditStore, packBlock } from "./store.ts";
import type { Block, Head } from "./types.ts";

export interface Journal extends AsyncDisposable {
  /** False when they aren't in the file: then only the store is left. */
  append(lines: readonly string[]): Promise<boolean>;
  /** All that is in the file is in the store, too. */
  clear(): Promise<void>;
}

/** Puts what a killed hub left into the store. Without a journal records go to the store at once. */
export async function openJournal(options: {
  readonly path: string;
  readonly store: AuditStore;
  readonly head: Head;
  readonly log: Logger;
}): Promise<{ readonly journal: Journal | undefined; readonly head: Head }> {
  const { path, log } = options;
  let { head } = options;
  try {
    head = await takeLeft(options);
    const file = await open(path, "a", 0o600);
    await file.truncate(0);
    return { journal: createJournal(file, options), head };
  } catch (error) {
    // Its records mustn't be taken for others of the same numbers some day.
    const aside = await putAside(path).catch(() => undefined);
    log.error({ err: error, path, aside }, "the journal of audit records can't be used");
    return { journal: undefined, head };
  }
}

function createJournal(file: FileHandle, { path, log }: { readonly path: string; readonly log: Logger }): Journal {
  let sizeBytes = 0;
  let isUsable = true;
  return {
    async append(lines) {
      if (!isUsable) return false;
      const text = Buffer.from(`${lines.join("\n")}\n`);
      try {
        await file.appendFile(text);
        sizeBytes += text.byteLength;
        return true;
      } catch (error) {
        log.error({ err: error, path }, "audit records can't be written to their journal");
        isUsable = await cut(sizeBytes);
        return false;
      }
    },
    async clear() {
      // What stays is known by its numbers to be in the store.
      if (isUsable && (await cut(0))) sizeBytes = 0;
    },
    async [Symbol.asyncDispose]() {
      await file.close();
    },
  };

  async function cut(toBytes: number): Promise<boolean> {
    try {
      await file.truncate(toBytes);
      return true;
    } catch {
      return false;
    }
  }
}

async function takeLeft(options: {
  readonly path: string;
  readonly store: AuditStore;
  readonly head: Head;
  readonly log: Logger;
}): Promise<Head> {
  const { path, store, head, log } = options;
  const { lines, isOdd } = selectLeft(await readLines(path), head);
  const block = lines.length === 0 ? undefined : toBlock(lines, head);
  if (block) {
    if (!(await store.append(await packBlock(block), head))) throw auditTaken();
    log.info({ records: lines.length }, "took audit records that a killed hub left");
  }
  if (isOdd) {
    log.error({ path: await putAside(path) }, "a journal of audit records doesn't go with the store; it is kept aside");
  }
  return block ? { seq: block.lastSeq, hash: block.lastHash } : head;
}

/** The lines that the store lacks; odd is what doesn't follow on its head. */
function selectLeft(lines: readonly string[], head: Head): { readonly lines: string[]; readonly isOdd: boolean } {
  const left: string[] = [];
  let at = head;
  for (const line of lines) {
    const seq = Number(/^\{"seq":(\d{1,15}),/.exec(line)?.[1] ?? Number.NaN);
    if (seq === head.seq && !line.endsWith(`"hash":"${head.hash}"}`)) return { lines: left, isOdd: true };
    if (seq <= head.seq) continue;
    const next = followChain(at, line);
    if (!next) return { lines: left, isOdd: true };
    left.push(line);
    at = next;
  }
  return { lines: left, isOdd: false };
}

function toBlock(lines: readonly string[], head: Head): Block {
  const records = lines.map((line) => JSON.parse(line) as LeftRecord);
  const times = records.map(({ at }) => Date.parse(at));
  return {
    firstSeq: head.seq + 1,
    lastSeq: head.seq + lines.length,
    firstAt: times.reduce((one, other) => Math.min(one, other)),
    lastAt: times.reduce((one, other) => Math.max(one, other)),
    users: [...new Set(records.map(({ who }) => who.name))],
    clusters: [...new Set(records.flatMap(({ cluster }) => cluster ?? []))],
    lastHash: records.at(-1)?.hash ?? "",
    lines,
  };
}

interface LeftRecord {
  readonly at: string;
  readonly who: { readonly name: string };
  readonly cluster?: string;
  readonly hash: string;
}

async function putAside(path: string): Promise<string> {
  const aside = `${path}.${Date.now()}`;
  await rename(path, aside);
  return aside;
}

/** Without the last one when it is torn. */
async function readLines(path: string): Promise<readonly string[]> {
  try {
    return (await readFile(path, "utf8")).split("\n").slice(0, -1);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}

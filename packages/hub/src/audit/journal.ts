// Records that are made and not yet safe in the store: each few milliseconds' lines go to a file in one write that is
// synced to disk, and the store gets a second's worth in one statement. The lines are the chain's own, so that a hub
// which finds some knows by their numbers and hashes which of them the store lacks, and takes each of them once.
//
// The embedded database doesn't sync, so lines stay for a while after the store took them: long enough for the operating
// system to have written what the database wrote. Two files take turns; the older one holds what came before the newer.
import { type FileHandle, open, rename } from "node:fs/promises";
import { dirname } from "node:path";
import type { Clock } from "@fairlead/kernel";
import type { Logger } from "../telemetry/index.ts";
import { takeLeft } from "./journal-left.ts";
import type { AuditStore } from "./store.ts";
import type { Head } from "./types.ts";

export interface Journal extends AsyncDisposable {
  /** True once they are on disk; false when they aren't: then only the store is left. */
  append(lines: readonly string[], lastSeq: number): Promise<boolean>;
  /** All up to this one is in the store, too. */
  stored(seq: number): void;
}

export interface JournalOptions {
  readonly path: string;
  readonly store: AuditStore;
  readonly head: Head;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Puts what a killed hub left into the store. Without a journal records go to the store at once. */
export async function openJournal(
  options: JournalOptions,
): Promise<{ readonly journal: Journal | undefined; readonly head: Head }> {
  const { path, log } = options;
  let { head } = options;
  try {
    head = await takeLeft({ ...options, paths: [olderOf(path), path] });
    return { journal: await createJournal(options, head), head };
  } catch (error) {
    // Its records mustn't be taken for others of the same numbers some day.
    const aside = await putAside(path).catch(() => undefined);
    log.error({ err: error, path, aside }, "the journal of audit records can't be used");
    return { journal: undefined, head };
  }
}

async function createJournal({ path, clock, log }: JournalOptions, head: Head): Promise<Journal> {
  let file = await openAndSync(path);
  let { size: sizeBytes } = await file.stat();
  let isUsable = true;
  let startedMs = clock.now();
  let storedSeq = head.seq;
  /** Of the last line in the older file. */
  let olderSeq = head.seq;
  let lastSeq = head.seq;

  return {
    async append(lines, seq) {
      if (!isUsable) return false;
      const text = Buffer.from(`${lines.join("\n")}\n`);
      try {
        if (clock.now() - startedMs >= turnMs && sizeBytes > 0 && olderSeq <= storedSeq) await turn();
        await file.appendFile(text);
        await file.datasync();
        sizeBytes += text.byteLength;
        lastSeq = seq;
        return true;
      } catch (error) {
        log.error({ err: error, path }, "audit records can't be written to their journal");
        // What a failed sync left is neither on disk nor known not to be: they are written again, elsewhere.
        isUsable = await cut();
        return false;
      }
    },
    stored(seq) {
      storedSeq = seq;
    },
    async [Symbol.asyncDispose]() {
      await file.close();
    },
  };

  async function turn(): Promise<void> {
    await file.close();
    await rename(path, olderOf(path));
    file = await openAndSync(path);
    olderSeq = lastSeq;
    sizeBytes = 0;
    startedMs = clock.now();
  }

  async function cut(): Promise<boolean> {
    try {
      await file.truncate(sizeBytes);
      return true;
    } catch {
      return false;
    }
  }
}

/** With its name in the folder: a file that nobody finds after a power cut holds nothing. */
async function openAndSync(path: string): Promise<FileHandle> {
  const file = await open(path, "a", 0o600);
  try {
    const folder = await open(dirname(path), "r");
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

function olderOf(path: string): string {
  return `${path}.1`;
}

async function putAside(path: string): Promise<string> {
  const aside = `${path}.${Date.now()}`;
  await rename(path, aside);
  return aside;
}

/** Linux writes what is dirty for half a minute within the next few seconds, by default. */
const turnMs = 120_000;

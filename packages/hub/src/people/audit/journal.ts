// Records that are made and not yet safe in the store: each few milliseconds' lines go to a file in one write that is
// synced to disk, and the store gets a second's worth in one statement. The lines are the chain's own, so that a hub
// which finds some knows by their numbers and hashes which of them the store lacks, and takes each of them once.
//
// A line is needed until the store has its record, which is then on disk. Two files take turns, so that neither grows for
// ever: a full one becomes the older one when the store has all that the older one holds.
import { type FileHandle, open, rename } from "node:fs/promises";
import { dirname } from "node:path";
import type { Logger } from "../../platform/telemetry/index.ts";
import { putAside, readMissing, takeLeft } from "./journal-left.ts";
import type { AuditStore } from "./store.ts";
import type { Block, Head } from "./types.ts";

export interface Journal extends AsyncDisposable {
  /** True once they are on disk; false when they aren't: then only the store is left. */
  append(lines: readonly string[], lastSeq: number): Promise<boolean>;
  /** All up to this one is in the store, too. */
  stored(seq: number): void;
  /** The records between these; undefined when it hasn't all of them any more. */
  between(from: Head, to: Head): Promise<Block | undefined>;
}

export interface JournalOptions {
  readonly path: string;
  readonly store: AuditStore;
  readonly chain: string;
  readonly head: Head;
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

async function createJournal({ path, chain, log }: JournalOptions, head: Head): Promise<Journal> {
  let file: FileHandle | undefined = await openAndSync(path);
  /** The part that is known to be whole and on disk. A failed write may have left something behind it. */
  let { size: sizeBytes } = await file.stat();
  let isTailKnown = true;
  let storedSeq = head.seq;
  /** The sequence number of the last line in the older file. */
  let olderSeq = head.seq;
  let lastSeq = head.seq;
  /** Lines that couldn't be written. They go before later lines, unless the store takes them first: the chain has no gaps. */
  let unwritten: { readonly lines: readonly string[]; readonly lastSeq: number }[] = [];

  return {
    async append(lines, seq) {
      unwritten = [...unwritten.filter((part) => part.lastSeq > storedSeq), { lines, lastSeq: seq }];
      const text = Buffer.from(unwritten.map((part) => `${part.lines.join("\n")}\n`).join(""));
      try {
        const usable = await openAtEnd();
        isTailKnown = false;
        await usable.appendFile(text);
        await usable.datasync();
        isTailKnown = true;
        unwritten = [];
        sizeBytes += text.byteLength;
        lastSeq = seq;
        return true;
      } catch (error) {
        log.error({ err: error, path }, "audit records can't be written to their journal");
        // Lines of a failed sync are neither on disk nor known not to be: they are cut away, now or before the next lines.
        await openAtEnd().catch(() => undefined);
        return false;
      }
    },
    stored(seq) {
      storedSeq = seq;
    },
    between: (from, to) => readMissing({ paths: [olderOf(path), path], chain, from, to }),
    async [Symbol.asyncDispose]() {
      await file?.close();
    },
  };

  /** A failure halfway leaves it closed, to be opened by the next one that writes. */
  async function openAtEnd(): Promise<FileHandle> {
    file ??= await openAndSync(path);
    if (!isTailKnown) await file.truncate(sizeBytes);
    isTailKnown = true;
    if (sizeBytes < turnBytes || olderSeq > storedSeq) return file;
    const full = file;
    file = undefined;
    await full.close();
    await rename(path, olderOf(path));
    olderSeq = lastSeq;
    sizeBytes = 0;
    file = await openAndSync(path);
    return file;
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

/** Some two thousand records; the next hub reads them when it starts. */
const turnBytes = 1024 * 1024;

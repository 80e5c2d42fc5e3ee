import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { type Clock, sleep } from "@fairlead/kernel";
import { recordingsErrors } from "./errors.ts";
import type { RecordingTarget } from "./types.ts";

export interface PieceWriterOptions {
  /** The row about the recording, once it is there. */
  readonly recording: Promise<number>;
  /** False when the recording isn't running any more, by the word of another hub. The same piece again is no other one. */
  readonly write: (recording: number, number: number, bytes: Buffer) => Promise<boolean>;
  readonly clock: Clock;
}

/**
 * Writes pieces of a recording to the store from a queue in memory. Nobody waits for it: what goes wrong is thrown at the next
 * `push`, and a store that doesn't keep up is something gone wrong.
 */
export function createPieceWriter({ recording, write, clock }: PieceWriterOptions): RecordingTarget {
  const stopping = new AbortController();
  let queue: Buffer[] = [];
  let queuedBytes = 0;
  let sizeBytes = 0;
  let number = 0;
  let failure: unknown;
  let writing: Promise<void> | undefined;
  recording.catch(fail);

  return {
    push(text) {
      if (failure) throw failure;
      const bytes = Buffer.from(text);
      if (queuedBytes + bytes.length > maxQueuedBytes) throw recordingsErrors.RECORDING_SLOW();
      queue.push(bytes);
      queuedBytes += bytes.length;
      sizeBytes += bytes.length;
      writing ??= writeOut().finally(() => (writing = undefined));
    },
    fail,
    get error() {
      return failure;
    },
    get sizeBytes() {
      return sizeBytes;
    },
    async close() {
      stopping.abort();
      await recording.catch(() => undefined);
      await writing;
    },
  };

  function fail(error: unknown): void {
    failure ??= error;
  }

  async function writeOut(): Promise<void> {
    try {
      const row = await recording;
      while (queue.length > 0 && failure === undefined) {
        // A screen changes in many small bits, and each piece is a statement.
        if (queuedBytes < pieceBytes) await sleep(gatherMs, { clock, signal: stopping.signal }).catch(() => undefined);
        for (const part of takeAll()) await insist(row, await compress(part));
      }
    } catch (cause) {
      fail(
        recordingsErrors.is(cause, "RECORDING_UNWRITABLE") ? cause : recordingsErrors.RECORDING_UNWRITABLE({ cause }),
      );
    }
    // Nothing of it is written any more.
    queue = [];
  }

  function takeAll(): Buffer[] {
    const all = Buffer.concat(queue);
    queue = [];
    const parts: Buffer[] = [];
    for (let from = 0; from < all.length; from += pieceBytes) parts.push(all.subarray(from, from + pieceBytes));
    return parts;
  }

  /** A database that another takes over from is away for seconds. The queue bounds what passes meanwhile. */
  async function insist(row: number, { bytes, rawBytes }: Compressed): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      try {
        if (!(await write(row, number, bytes))) throw recordingsErrors.RECORDING_UNWRITABLE();
        number += 1;
        queuedBytes -= rawBytes;
        return;
      } catch (error) {
        if (recordingsErrors.is(error, "RECORDING_UNWRITABLE") || tries === maxTries) throw error;
      }
      await sleep(retryMs, { clock });
    }
  }
}

interface Compressed {
  readonly bytes: Buffer;
  readonly rawBytes: number;
}

async function compress(part: Buffer): Promise<Compressed> {
  return { bytes: await gzipBytes(part, { level: 1 }), rawBytes: part.length };
}

const gzipBytes = promisify<Buffer, { level: number }, Buffer>(gzip);
/** Compressed it is at most 256 KiB, whatever it is. */
const pieceBytes = 240 * 1024;
const gatherMs = 300;
const maxTries = 5;
const retryMs = 1_000;
const maxQueuedBytes = 8 * 1024 * 1024;

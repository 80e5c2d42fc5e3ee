// The record of one claimed command, written under the claim's epoch. A record that another claim has written since is
// the fence of this cluster: nothing is written over it.
import { Backoff, type Clock, isFairleadError, sleep } from "@fairlead/kernel";
import { executeErrors } from "../errors.ts";
import type { CommandRecord, RecordLife, RecordStore, StoredRecord } from "./types.ts";

export interface RecordKeeper {
  readonly life: RecordLife;
  /** The disk to which the claim before, which didn't come to its end, wrote the log. */
  readonly spoolBefore: string | undefined;
  /**
   * Resolves when it is stored. Throws COMMAND_LEASE_LOST when the command is another claim's by now. While the store is
   * away it is tried again until the signal aborts.
   */
  write(life: RecordLife, signal: AbortSignal): Promise<void>;
}

export interface OpenRecordOptions {
  readonly store: RecordStore;
  readonly id: string;
  readonly epoch: number;
  readonly kind: string;
  readonly expiresAtMs: number;
  readonly askedAtMs?: number | undefined;
  /** The digest of what the claim asks for. */
  readonly asked?: string | undefined;
  /** The disk to which this claim writes the log. */
  readonly spool?: string | undefined;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /**
   * Called when this cluster knows nothing of the command. An error that it throws ends the opening, and nothing is
   * written.
   */
  readonly onUnknown: () => void;
}

/** Takes the record over for this claim, with what is in it. */
export async function openRecord(options: OpenRecordOptions): Promise<RecordKeeper> {
  const { store, id, epoch, kind, expiresAtMs, askedAtMs, asked, spool, clock, signal, onUnknown } = options;
  // The first claim hardly ever finds a record, so it makes one without looking.
  let isNew = epoch === 1;
  let spoolBefore: string | undefined;
  let stored = await insist(async () => {
    if (isNew) {
      isNew = false;
      const made = mayBegin(onUnknown) ? await put(undefined, onSpool({ is: "open" }), signal) : undefined;
      if (made !== undefined) return made;
    }
    const found = await store.find(id, signal, askedAtMs);
    if (found === undefined) onUnknown();
    else requireSame(found.record, asked);
    // A write whose answer was lost is found again.
    if (found !== undefined && found.record.epoch < epoch) spoolBefore = spoolOf(found.record);
    return await put(found, onSpool(found?.record.life ?? { is: "open" }), signal);
  }, signal);
  let writing: Promise<unknown> = Promise.resolve();
  return {
    get life() {
      return stored.record.life;
    },
    spoolBefore,
    write(given, writeSignal) {
      const life = "spool" in given ? given : onSpool(given);
      const written = writing.then(async () => {
        let known: StoredRecord | undefined = stored;
        stored = await insist(async () => {
          // After a failure or a lost race, what is stored may be anything, also what was just written.
          known ??= await findOwn(writeSignal);
          const over = known;
          known = undefined;
          return await put(over, life, writeSignal);
        }, writeSignal);
      });
      writing = written.catch(() => undefined);
      return written;
    },
  };

  function onSpool(life: RecordLife): RecordLife {
    return life.is === "open" && spool !== undefined ? { ...life, spool } : life;
  }

  async function findOwn(findSignal: AbortSignal): Promise<StoredRecord> {
    const found = await store.find(id, findSignal, askedAtMs);
    // Somebody removed it: whether another claim is at work can't be told any more.
    if (found === undefined) throw executeErrors.COMMAND_LEASE_LOST();
    return found;
  }

  /** Undefined when somebody else wrote meanwhile. */
  async function put(
    over: StoredRecord | undefined,
    life: RecordLife,
    putSignal: AbortSignal,
  ): Promise<StoredRecord | undefined> {
    if (over !== undefined && over.record.epoch > epoch) throw executeErrors.COMMAND_LEASE_LOST();
    const record: CommandRecord = { id, epoch, kind, expiresAtMs, askedAtMs, asked, life };
    const version = await store.write(record, over?.version, putSignal);
    return version === undefined ? undefined : { record, version };
  }

  /** Until it gives something. */
  async function insist<T>(work: () => Promise<T | undefined>, until: AbortSignal): Promise<T> {
    const backoff = new Backoff({ baseMs: 200, maxMs: 5_000 });
    for (;;) {
      until.throwIfAborted();
      try {
        const done = await work();
        if (done !== undefined) return done;
      } catch (error) {
        if (!isFairleadError(error) || !error.retryable || executeErrors.is(error, "COMMAND_LEASE_LOST")) throw error;
      }
      await sleep(backoff.nextMs(), { clock, signal: until });
    }
  }
}

function spoolOf({ life }: CommandRecord): string | undefined {
  return life.is === "open" ? life.spool : undefined;
}

/**
 * A record belongs to one spec. The agent doesn't continue it for another spec under the same id, which a hostile hub or a
 * restored database may send. A command that has ended never runs again anyway.
 */
function requireSame(known: CommandRecord, asked: string | undefined): void {
  const { life } = known;
  // Plans that people are asked about, or have approved, are compared where the approval is.
  const isElsewhere =
    life.is === "settled" || life.is === "planned" || (life.is === "open" && life.approved !== undefined);
  const isOther = known.asked !== undefined && asked !== undefined && known.asked !== asked;
  if (isOther && !isElsewhere) throw executeErrors.COMMAND_CHANGED();
}

/** Swallows the error here: it is thrown as soon as it is certain that there is no record. */
function mayBegin(onUnknown: () => void): boolean {
  try {
    onUnknown();
    return true;
  } catch {
    return false;
  }
}

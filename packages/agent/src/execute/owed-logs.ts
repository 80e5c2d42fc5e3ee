// Logs that earlier runs left on this disk, or on another. Those that are here are sent. Of those that are nowhere the hub
// is told that they are lost, once the agent that may still have them has stayed away for long enough.
import type { Clock } from "@fairlead/kernel";
import type { CommandHub } from "./command-hub.ts";
import type { ExecuteDependencies } from "./dependencies.ts";
import { hasSpool, sendOwedLog, tellLost } from "./log/index.ts";
import type { OwedLog, RecordStore, StoredRecord } from "./records/index.ts";

export interface OwedLogsOptions extends Pick<ExecuteDependencies, "folder" | "logs" | "spoolId"> {
  readonly records: RecordStore;
  readonly hub: CommandHub;
  readonly isHeld: (id: string) => boolean;
  readonly clock: Clock;
}

export interface OwedLogs {
  /** Resolves with false when the log of this record is still owed. */
  settle(stored: StoredRecord, signal: AbortSignal): Promise<boolean>;
}

export function createOwedLogs(options: OwedLogsOptions): OwedLogs {
  const { records, hub, folder, logs, spoolId, isHeld, clock } = options;
  /** Logs on other disks: since when they are known here. */
  const elsewhere = new Map<string, number>();
  return {
    async settle(stored, signal) {
      const { id, life } = stored.record;
      if (isHeld(id)) return true;
      if (life.is === "planned" && hasSpool(folder, id)) return await send(stored, undefined, signal);
      if (life.is !== "settled" || life.owes === undefined) return true;
      const isSettled = await (life.owes.spool === spoolId
        ? send(stored, life.owes.bytes, signal)
        : giveUp(stored, life.owes, signal));
      if (!isSettled) return false;
      elsewhere.delete(id);
      // Lost to another writer it is that one's.
      await records.write(
        { ...stored.record, life: { is: "settled", outcomeDigest: life.outcomeDigest } },
        stored.version,
        signal,
      );
      return true;
    },
  };

  function send({ record }: StoredRecord, bytes: number | undefined, signal: AbortSignal): Promise<boolean> {
    const { id, epoch } = record;
    return sendOwedLog(
      {
        id,
        epoch: BigInt(epoch),
        bytes,
        spool: { folder, ...logs },
        isTaken: () => isHeld(id),
        hub,
        clock,
        patienceMs: stallMs,
      },
      signal,
    );
  }

  async function giveUp({ record }: StoredRecord, { bytes }: OwedLog, signal: AbortSignal): Promise<boolean> {
    const { id, epoch } = record;
    const sinceMs = elsewhere.get(id) ?? clock.steadyMs();
    elsewhere.set(id, sinceMs);
    if (clock.steadyMs() - sinceMs < awayMs) return false;
    await tellLost({ id, epoch: BigInt(epoch), offset: bytes, hub }, signal);
    return true;
  }
}

const stallMs = 60_000;
/** A pod whose container begins anew comes back with its disk. */
const awayMs = 10 * 60_000;

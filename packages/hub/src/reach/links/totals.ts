import type { LinkStats } from "@fairlead/protocol";
import type { LinkTotals } from "../../platform/telemetry/index.ts";

/** The traffic of links that are gone: counters must not fall when a link ends. */
export interface PastLinks {
  add(stats: LinkStats): void;
  read(): LinkTotals;
}

export function createPastLinks(): PastLinks {
  const resetsByCode: Record<number, number> = {};
  const totals = {
    links: 0,
    receivedBytes: 0,
    sentBytes: 0,
    receivedFrames: 0,
    sentFrames: 0,
    resumes: 0,
    resetsByCode,
  };
  return {
    add(stats) {
      totals.links += 1;
      totals.receivedBytes += stats.bytes.received;
      totals.sentBytes += stats.bytes.sent;
      totals.receivedFrames += stats.frames.received;
      totals.sentFrames += stats.frames.sent;
      totals.resumes += stats.resumes;
      for (const [code, count] of Object.entries(stats.resetsByCode)) {
        resetsByCode[Number(code)] = (resetsByCode[Number(code)] ?? 0) + count;
      }
    },
    read: () => totals,
  };
}

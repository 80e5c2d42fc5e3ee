import type { MuxStream } from "../stream/index.ts";
import type { LinkStats } from "./types.ts";

interface StatsInput
  extends Pick<LinkStats, "bytes" | "frames" | "resetsByCode" | "lastRttMs" | "retainedBytes" | "resumes"> {
  readonly streams: Iterable<MuxStream>;
  readonly now: number;
}

/** Walks the streams, so that the hot paths need keep no totals. */
export function collectStats(input: StatsInput): LinkStats {
  const { streams, now, ...totals } = input;
  const counts = { opening: 0, open: 0, halfClosed: 0 };
  const credit = { heldBytes: 0, grantedBytes: 0, queuedBytes: 0 };
  let queueAgeMs = 0;
  let starvedStreams = 0;
  for (const stream of streams) {
    counts[phaseOf(stream)]++;
    credit.heldBytes += stream.inbound.window.heldBytes;
    credit.grantedBytes += stream.inbound.window.creditBytes;
    const { sizeBytes } = stream.outbound.queue;
    if (sizeBytes === 0) continue;
    credit.queuedBytes += sizeBytes;
    queueAgeMs = Math.max(queueAgeMs, now - stream.outbound.queuedAt);
    if (stream.outbound.creditBytes === 0 && now - stream.outbound.starvedAt >= starvedMs) starvedStreams++;
  }
  return { ...totals, streams: counts, credit, queueAgeMs, starvedStreams };
}

function phaseOf(stream: MuxStream): "opening" | "open" | "halfClosed" {
  if (stream.isUnanswered) return "opening";
  const { state } = stream;
  return state.is === "over" || state.receiving === "ended" || state.sending === "ended" ? "halfClosed" : "open";
}

/** A reader that stands still this long is worth a number on a dashboard; it is legal, so nothing else happens. */
const starvedMs = 60_000;

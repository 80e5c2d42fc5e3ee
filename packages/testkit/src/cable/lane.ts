// A direction of a connection: a queue that lets chunks go when their delay is over and the bandwidth is there.
import type { Socket } from "node:net";
import type { Conditions } from "./conditions.ts";
import type { TokenBucket } from "./token-bucket.ts";

interface Parcel {
  readonly arrivedAtMs: number;
  /** Undefined stands for the end of the stream. */
  readonly chunk: Buffer | undefined;
}

const throttledWindowBytes = 64 * 1024;

/** Returns the way to stop, which drops what is still queued. */
export function startLane(options: {
  from: Socket;
  to: Socket;
  conditions: Conditions;
  bucket: TokenBucket;
  onDelivered: (sizeBytes: number) => void;
}): () => void {
  const { from, to, conditions, bucket, onDelivered } = options;
  const queue: Parcel[] = [];
  let queuedBytes = 0;
  let timer: NodeJS.Timeout | undefined;
  let isWaitingForDrain = false;
  /** The turn of the front of the queue, on a cable that others use too. */
  let booked: { readonly atMs: number; readonly sizeBytes: number } | undefined;

  from.on("data", (chunk: Buffer) => add(chunk));
  from.once("end", () => add(undefined));
  to.on("drain", () => {
    isWaitingForDrain = false;
    release();
  });
  const unsubscribe = conditions.onChange(release);

  return () => {
    unsubscribe();
    clearTimeout(timer);
    queue.length = 0;
  };

  function add(chunk: Buffer | undefined): void {
    queue.push({ arrivedAtMs: performance.now(), chunk });
    queuedBytes += chunk?.length ?? 0;
    release();
    if (queuedBytes >= currentWindowBytes()) from.pause();
  }

  function release(): void {
    clearTimeout(timer);
    while (!conditions.isBlackhole && !isWaitingForDrain && !to.destroyed) {
      const parcel = queue[0];
      if (parcel === undefined) break;
      const waitMs = parcel.arrivedAtMs + conditions.delayMs - performance.now();
      if (waitMs > 0) return void wake(waitMs);
      if (parcel.chunk === undefined) {
        queue.shift();
        to.end();
        break;
      }
      booked ??= book(parcel.chunk);
      const bandwidthWaitMs = booked.atMs - performance.now();
      if (bandwidthWaitMs > 0 && conditions.bytesPerSecond !== Infinity) return void wake(bandwidthWaitMs);
      const slice = parcel.chunk.subarray(0, booked.sizeBytes);
      booked = undefined;
      if (slice.length === parcel.chunk.length) queue.shift();
      else queue[0] = { ...parcel, chunk: parcel.chunk.subarray(slice.length) };
      deliver(slice);
    }
  }

  function book(chunk: Buffer): { readonly atMs: number; readonly sizeBytes: number } {
    const sizeBytes = Math.min(chunk.length, bucket.sliceBytes);
    return { atMs: performance.now() + bucket.take(sizeBytes), sizeBytes };
  }

  function deliver(slice: Buffer): void {
    queuedBytes -= slice.length;
    onDelivered(slice.length);
    isWaitingForDrain = !to.write(slice);
    if (from.isPaused() && queuedBytes < currentWindowBytes()) from.resume();
  }

  function wake(delayMs: number): void {
    timer = setTimeout(release, Math.ceil(delayMs));
    timer.unref();
  }

  function currentWindowBytes(): number {
    const { bytesPerSecond, delayMs, windowBytes } = conditions;
    if (bytesPerSecond === Infinity) return windowBytes;
    // The bytes on the way in a full cable of this length aren't in its queue.
    return throttledWindowBytes + (bytesPerSecond * delayMs) / 1_000;
  }
}

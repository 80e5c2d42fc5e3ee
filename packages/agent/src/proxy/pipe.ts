// After a 101 a stream is a byte pipe: this joins it to the API server's connection. Credit goes back when the socket
// took the bytes, each direction closes by itself, and a break on either side is never a clean end on the other.
import type { Duplex } from "node:stream";
import type { Clock } from "@fairlead/kernel";
import { type LinkStream, resetCodes, type StreamHandlers } from "@fairlead/protocol";
import type { ProxyCounters } from "./counters.ts";

export interface PipeOptions {
  readonly stream: LinkStream;
  readonly socket: Duplex;
  readonly clock: Clock;
  readonly counters: ProxyCounters;
  readonly onOver: () => void;
}

export function joinPipe(options: PipeOptions): StreamHandlers {
  const { stream, socket, clock, counters, onOver } = options;
  let unconsumedBytes = 0;
  let streamEnded = false;
  let socketEnded = false;
  let over = false;
  let cancelLinger: (() => void) | undefined;

  socket.on("data", (chunk: Buffer) => {
    counters.bytesFromUpstream += chunk.length;
    if (!stream.write(chunk)) socket.pause();
  });
  socket.on("drain", () => {
    const sizeBytes = unconsumedBytes;
    unconsumedBytes = 0;
    if (sizeBytes > 0) stream.consumed(sizeBytes);
  });
  socket.on("end", () => {
    socketEnded = true;
    stream.end();
    if (streamEnded) return finish();
    // A client that neither sends nor closes must not hold the connection for ever.
    cancelLinger = clock.after(lingerMs, () => {
      stream.reset(resetCodes.noError);
      finish();
    });
  });
  socket.on("error", () => breakOff());
  socket.on("close", () => {
    if (!socketEnded || !streamEnded) breakOff();
  });
  socket.resume();

  return {
    onData(chunk) {
      counters.bytesToUpstream += chunk.length;
      if (socket.write(chunk)) stream.consumed(chunk.length);
      else unconsumedBytes += chunk.length;
    },
    onEnd() {
      streamEnded = true;
      socket.end();
      if (socketEnded) finish();
    },
    onReset() {
      finish();
    },
    onWritable() {
      socket.resume();
    },
  };

  function breakOff(): void {
    if (over) return;
    stream.reset(resetCodes.upstreamBroken, "The API server closed the connection.");
    finish();
  }

  function finish(): void {
    if (over) return;
    over = true;
    cancelLinger?.();
    // After both ends a plain close would still wait for the peer's; what we wrote is flushed by `end` before.
    if (streamEnded && socketEnded) socket.end(() => socket.destroy());
    else socket.destroy();
    onOver();
  }
}

const lingerMs = 60_000;

// A stream of a link as a Duplex of Node, for what wants a socket. Credit goes back as its reader reads.
import { Duplex } from "node:stream";
import type { FairleadError } from "@fairlead/kernel";
import { type LinkStream, resetCodes, type StreamHandlers } from "@fairlead/protocol";

export interface StreamDuplex {
  readonly duplex: Duplex;
  /** To be given to the link for the stream. */
  readonly handlers: StreamHandlers;
  /** At once after the stream is there. */
  connect(stream: LinkStream): void;
}

export function createStreamDuplex(
  options: { readonly onHead?: NonNullable<StreamHandlers["onHead"]> } = {},
): StreamDuplex {
  let stream: LinkStream | undefined;
  /** Called when the stream takes more. */
  let drained: (() => void) | undefined;
  let isOver = false;
  /** Pushed and not yet known to be read: given back when the reader asks for more. */
  let unreadBytes = 0;
  const duplex = new Duplex({
    allowHalfOpen: false,
    read() {
      const sizeBytes = unreadBytes;
      unreadBytes = 0;
      if (sizeBytes > 0) stream?.consumed(sizeBytes);
    },
    write(chunk: Buffer, _encoding, done) {
      if (isOver || stream?.write(chunk)) done();
      else drained = done;
    },
    final(done) {
      if (!isOver) stream?.end();
      done();
    },
    destroy(error, done) {
      if (!isOver) stream?.reset(resetCodes.cancelled);
      isOver = true;
      goOn();
      done(error);
    },
  });
  return {
    duplex,
    connect(opened) {
      stream = opened;
    },
    handlers: {
      ...(options.onHead && { onHead: options.onHead }),
      onData(chunk) {
        if (duplex.push(chunk)) stream?.consumed(chunk.byteLength);
        else unreadBytes += chunk.byteLength;
      },
      onEnd() {
        duplex.push(null);
      },
      onReset(error: FairleadError) {
        isOver = true;
        duplex.destroy(error);
      },
      onWritable: goOn,
    },
  };

  function goOn(): void {
    const done = drained;
    drained = undefined;
    done?.();
  }
}

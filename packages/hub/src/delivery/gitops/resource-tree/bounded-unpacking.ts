// Keeps whoever unpacks a cluster's value from running out of memory: the hub unpacks it as it passes, and keeps nothing.
import { createGunzip } from "node:zlib";

/** The same pieces. Throws before the last one when they unpack to more than so many bytes, or can't be unpacked. */
export async function* withBoundedUnpacking(
  pieces: AsyncIterable<Uint8Array>,
  { mostBytes }: { readonly mostBytes: number },
): AsyncGenerator<Uint8Array> {
  using unpacker = openUnpacker(mostBytes);
  let isPacked: boolean | undefined;
  let held: Uint8Array | undefined;
  for await (const piece of pieces) {
    if (piece.byteLength === 0) continue;
    // What doesn't begin as gzip does isn't unpacked by anybody.
    isPacked ??= piece[0] === firstByte;
    if (isPacked) await unpacker.take(piece);
    if (held !== undefined) yield held;
    held = piece;
  }
  if (isPacked === true) await unpacker.end();
  if (held !== undefined) yield held;
}

interface Unpacker extends Disposable {
  take(piece: Uint8Array): Promise<void>;
  end(): Promise<void>;
}

function openUnpacker(mostBytes: number): Unpacker {
  const stream = createGunzip();
  let failure: Error | undefined;
  let unpackedBytes = 0;
  const fail = (error: Error): void => {
    failure ??= error;
    stream.destroy();
  };
  stream.on("error", fail);
  stream.on("data", ({ byteLength }: Uint8Array) => {
    unpackedBytes += byteLength;
    if (unpackedBytes > mostBytes) fail(new Error(`it unpacks to more than ${mostBytes} bytes`));
  });
  // A write isn't answered when what it writes can't be unpacked.
  const closed = new Promise<void>((resolve) => void stream.once("close", resolve));
  return {
    async take(piece) {
      await Promise.race([closed, new Promise<void>((resolve) => void stream.write(piece, () => resolve()))]);
      if (failure) throw failure;
    },
    async end() {
      stream.end();
      await closed;
      if (failure) throw failure;
    },
    [Symbol.dispose]: () => void stream.destroy(),
  };
}

const firstByte = 0x1f;

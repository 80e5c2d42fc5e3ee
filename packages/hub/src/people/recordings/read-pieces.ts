import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { recordingsErrors } from "./errors.ts";
import type { RecordingStore } from "./store.ts";

/** A few at a time, as the reader takes them. */
export async function* readPieces(
  store: Pick<RecordingStore, "readPieces">,
  recording: number,
): AsyncGenerator<Buffer> {
  for (let next = 0; ; ) {
    const pieces = await store.readPieces(recording, next, piecesAtOnce);
    for (const { number, bytes } of pieces) {
      // It was deleted while it was read, or somebody took a piece out.
      if (number !== next) throw recordingsErrors.RECORDING_NOT_FOUND();
      yield await unpack(bytes, { maxOutputLength: maxPieceBytes });
      next += 1;
    }
    if (pieces.length < piecesAtOnce) return;
  }
}

const unpack = promisify<Uint8Array, { maxOutputLength: number }, Buffer>(gunzip);
const piecesAtOnce = 4;
const maxPieceBytes = 1024 * 1024;

// Bytes that can't be swapped, doubled or dropped without a hash showing it: each block carries its number.
import { createHash } from "node:crypto";

const blockBytes = 64 * 1024;
const base = createHash("shake256", { outputLength: blockBytes }).update("fairlead").digest();

export function* patternBlocks(sizeBytes: number, seed = 0): Generator<Buffer> {
  for (let offset = 0; offset < sizeBytes; offset += blockBytes) {
    const block = Buffer.from(base);
    block.writeUInt32LE(seed, 0);
    block.writeUInt32LE(offset / blockBytes, 4);
    yield block.subarray(0, Math.min(blockBytes, sizeBytes - offset));
  }
}

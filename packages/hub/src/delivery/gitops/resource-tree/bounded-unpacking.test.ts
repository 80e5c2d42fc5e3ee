import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { withBoundedUnpacking } from "./bounded-unpacking.ts";

const mostBytes = 1_000_000;

describe("a packed value of a cluster", () => {
  it.each([1, 7, 4_096])("passes unchanged in pieces of %d bytes when it unpacks to what is allowed", async (size) => {
    const packed = gzipSync(Buffer.alloc(mostBytes, "tree"));
    expect(await pass(cut(packed, size))).toEqual(packed);
  });

  it.each([
    ["in one part", gzipSync(Buffer.alloc(mostBytes + 1))],
    ["in several parts", Buffer.concat(Array.from({ length: 11 }, () => gzipSync(Buffer.alloc(mostBytes / 10))))],
  ])("breaks off when it unpacks to more, %s", async (_how, packed) => {
    await expect(pass(cut(packed, 512))).rejects.toThrow(/unpacks to more than 1000000 bytes/);
  });

  it("of gigabytes breaks off before most of it was unpacked", async () => {
    const megabyte = gzipSync(Buffer.alloc(1_000_000));
    let asked = 0;
    const endless = async function* () {
      for (; asked < 4_000; asked += 1) yield megabyte;
    };
    await expect(pass(endless())).rejects.toThrow(/unpacks to more/);
    expect(asked).toBeLessThan(3);
  });

  it("breaks off when it can't be told what it unpacks to", async () => {
    const packed = gzipSync(Buffer.from("tree"));
    packed[12] = 0xff;
    await expect(pass(cut(packed, 512))).rejects.toThrow();
  });

  it("that isn't packed passes", async () => {
    for (const value of [Buffer.alloc(2 * mostBytes, "x"), Buffer.alloc(0)])
      expect(await pass(cut(value, 65_536))).toEqual(value);
  });
});

async function pass(pieces: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const passed: Uint8Array[] = [];
  for await (const piece of withBoundedUnpacking(pieces, { mostBytes })) passed.push(piece);
  return Buffer.concat(passed);
}

async function* cut(value: Buffer, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < value.length; at += size) yield value.subarray(at, at + size);
}

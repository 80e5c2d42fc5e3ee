// Archives as only an attacker writes them.
import { gzipSync } from "node:zlib";

export interface WrittenEntry {
  readonly name: string;
  readonly body?: string | Buffer;
  /** As tar says it; a file unless given. */
  readonly flag?: string;
  readonly link?: string;
  /** Another size than that of the body. */
  readonly sizeBytes?: number;
}

/** Without its end, so that more can follow. */
export function tarOf(entries: readonly WrittenEntry[]): Buffer {
  return Buffer.concat(entries.flatMap(write));
}

export function archiveOf(entries: readonly WrittenEntry[]): Buffer {
  return gzipSync(Buffer.concat([tarOf(entries), Buffer.alloc(1024)]));
}

export const chartFile: WrittenEntry = {
  name: "web/Chart.yaml",
  body: '{"apiVersion":"v2","name":"web","version":"1.2.3"}',
};

/** A file of so many times 64 MiB of zeros, in 64 KiB each. */
export function bombOf(times: number, name = "web/bomb"): Buffer {
  zeros ??= gzipSync(Buffer.alloc(64 * 2 ** 20));
  const head = gzipSync(tarOf([chartFile, { name, sizeBytes: times * 64 * 2 ** 20 }]));
  return Buffer.concat([head, ...Array<Buffer>(times).fill(zeros)]);
}

/** 64 MiB of them, which take a quarter of a second to pack. */
let zeros: Buffer | undefined;

/** Of so many times 1,000 empty files. */
export function crowdOf(times: number): Buffer {
  const entries = Array.from({ length: 1_000 }, (_, index) => ({ name: `web/templates/${index}.txt` }));
  const part = gzipSync(tarOf(entries));
  return Buffer.concat([gzipSync(tarOf([chartFile])), ...Array.from({ length: times }, () => part)]);
}

function write({ name, body = "", flag = "0", link = "", sizeBytes }: WrittenEntry): readonly Buffer[] {
  const content = Buffer.from(body);
  const head = Buffer.alloc(512);
  head.write(name, 0, 100);
  head.write("0000644\0", 100);
  head.write("0000000\0", 108);
  head.write("0000000\0", 116);
  head.write(`${(sizeBytes ?? content.length).toString(8).padStart(11, "0")}\0`, 124);
  head.write("00000000000\0", 136);
  head.write("        ", 148);
  head.write(flag, 156);
  head.write(link, 157, 100);
  head.write("ustar\x0000", 257);
  const sum = head.reduce((total, byte) => total + byte, 0);
  head.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return [head, content, Buffer.alloc((512 - (content.length % 512)) % 512)];
}

// The loader's view of an ELF file: for which machine it is, and which libraries it needs. 64 bits, little-endian.
export interface Elf {
  readonly machine: string;
  /** Path of the loader, for a program. */
  readonly interpreter: string | undefined;
  readonly needed: readonly string[];
}

const machines: Readonly<Record<number, string>> = { 62: "amd64", 183: "arm64" };
const segment = { load: 1, dynamic: 2, interpreter: 3 };
const tag = { needed: 1n, stringTable: 5n };

export function readElf(content: Buffer): Elf | undefined {
  if (content.toString("latin1", 0, 4) !== "\x7fELF") return undefined;
  const segments = readSegments(content);
  const interpreter = segments.find(({ type }) => type === segment.interpreter);
  const dynamic = segments.find(({ type }) => type === segment.dynamic);
  const entries = dynamic === undefined ? [] : readDynamic(content, dynamic);
  const table = entries.find((entry) => entry.tag === tag.stringTable)?.value;
  const home = segments.find(({ type, address, size }) => {
    return type === segment.load && table !== undefined && table >= address && table < address + size;
  });
  const strings = Number((home?.offset ?? 0n) + (table ?? 0n) - (home?.address ?? 0n));
  return {
    machine: machines[content.readUInt16LE(18)] ?? "unknown",
    interpreter: interpreter && readText(content, Number(interpreter.offset)),
    needed: entries
      .filter((entry) => entry.tag === tag.needed)
      .map(({ value }) => readText(content, strings + Number(value))),
  };
}

interface Segment {
  readonly type: number;
  readonly offset: bigint;
  readonly address: bigint;
  readonly size: bigint;
}

function readSegments(content: Buffer): Segment[] {
  const [start, size, count] = [
    Number(content.readBigUInt64LE(32)),
    content.readUInt16LE(54),
    content.readUInt16LE(56),
  ];
  return Array.from({ length: count }, (_, index) => {
    const at = start + index * size;
    return {
      type: content.readUInt32LE(at),
      offset: content.readBigUInt64LE(at + 8),
      address: content.readBigUInt64LE(at + 16),
      size: content.readBigUInt64LE(at + 32),
    };
  });
}

function readDynamic(content: Buffer, { offset, size }: Segment): { tag: bigint; value: bigint }[] {
  return Array.from({ length: Number(size) / 16 }, (_, index) => {
    const at = Number(offset) + index * 16;
    return { tag: content.readBigInt64LE(at), value: content.readBigUInt64LE(at + 8) };
  });
}

function readText(content: Buffer, at: number): string {
  return content.toString("latin1", at, content.indexOf(0, at));
}

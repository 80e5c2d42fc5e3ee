// ICU's tables of languages are half of PostgreSQL's compressed size, and nothing reads them: the hub's databases sort
// and compare by the locale that PostgreSQL brings itself. The loader wants the library all the same. With zeros in
// place of the tables, an ICU collation that somebody asks for is an error of that statement.
export function blankIcuData(library: Buffer): Buffer {
  const { offset, size } = findSection(library, ".rodata");
  const blank = Buffer.from(library);
  blank.fill(0, offset, offset + size);
  return blank;
}

/** Reads a 64-bit, little-endian ELF file. */
function findSection(elf: Buffer, wanted: string): { readonly offset: number; readonly size: number } {
  const table = Number(elf.readBigUInt64LE(40));
  const [bytes, count, names] = [elf.readUInt16LE(58), elf.readUInt16LE(60), elf.readUInt16LE(62)];
  const section = (index: number) => {
    const start = table + index * bytes;
    return {
      name: elf.readUInt32LE(start),
      offset: Number(elf.readBigUInt64LE(start + 24)),
      size: Number(elf.readBigUInt64LE(start + 32)),
    };
  };
  const texts = section(names).offset;
  for (let index = 0; index < count; index += 1) {
    const { name, offset, size } = section(index);
    if (elf.toString("latin1", texts + name, elf.indexOf(0, texts + name)) === wanted) return { offset, size };
  }
  throw new Error(`the library has no ${wanted}`);
}

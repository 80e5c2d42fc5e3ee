// Finds the data that was put into an executable, by the formats' own tables.
export const resourceName = "NODE_SEA_BLOB";
export const fuseName = "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2";

/** The script in an executable, or undefined where it has none. */
export function readBlob(program: Buffer, format: "elf" | "mach-o" | "pe"): Buffer | undefined {
  switch (format) {
    case "elf":
      return readElfNote(program);
    case "mach-o":
      return readMachOSection(program);
    case "pe":
      return readPeResource(program);
  }
}

/** "1" in a Node that looks for a script in its own file, "0" in one that doesn't. */
export function fuseOf(program: Buffer): string {
  const at = program.indexOf(`${fuseName}:`) + fuseName.length + 1;
  return program.toString("latin1", at, at + 1);
}

/** A note of that name in one of the segments for notes. */
function readElfNote(program: Buffer): Buffer | undefined {
  const [tableAt, entrySize, count] = [offset64(program, 32), program.readUInt16LE(54), program.readUInt16LE(56)];
  for (let index = 0; index < count; index += 1) {
    const entry = tableAt + index * entrySize;
    const isNotes = program.readUInt32LE(entry) === 4;
    const end = offset64(program, entry + 8) + offset64(program, entry + 32);
    let at = isNotes ? offset64(program, entry + 8) : end;
    while (at + 12 <= end) {
      const [nameSize, size] = [program.readUInt32LE(at), program.readUInt32LE(at + 4)];
      const content = at + 12 + padded(nameSize);
      if (textAt(program, at + 12, nameSize) === resourceName) return program.subarray(content, content + size);
      at = content + padded(size);
    }
  }
  return undefined;
}

/** A section of the segment NODE_SEA, found by the load commands. */
function readMachOSection(program: Buffer): Buffer | undefined {
  const segmentCommand = 0x19;
  let at = 32;
  for (let left = program.readUInt32LE(16); left > 0; left -= 1) {
    const isOurs = program.readUInt32LE(at) === segmentCommand && textAt(program, at + 8, 16) === "NODE_SEA";
    const section = at + 72;
    if (isOurs && textAt(program, section, 16) === `__${resourceName}`) {
      const from = program.readUInt32LE(section + 48);
      return program.subarray(from, from + offset64(program, section + 40));
    }
    at += program.readUInt32LE(at + 4);
  }
  return undefined;
}

/** Raw data of that name among the resources: a tree of type, name and language. */
function readPeResource(program: Buffer): Buffer | undefined {
  const header = program.readUInt32LE(0x3c) + 4;
  const optional = header + 20;
  const sections = optional + program.readUInt16LE(header + 16);
  const toOffset = (address: number): number => {
    for (let index = 0; index < program.readUInt16LE(header + 2); index += 1) {
      const section = sections + index * 40;
      const start = program.readUInt32LE(section + 12);
      const size = program.readUInt32LE(section + 16);
      if (address >= start && address < start + size) return address - start + program.readUInt32LE(section + 20);
    }
    return 0;
  };
  const root = toOffset(program.readUInt32LE(optional + 128));
  const rawDataType = 10;
  const names = childrenOf(program, root, root).find(({ id }) => id === rawDataType);
  const languages = names && childrenOf(program, root, names.at).find(({ name }) => name === resourceName);
  const entry = languages && childrenOf(program, root, languages.at)[0];
  if (entry === undefined) return undefined;
  const from = toOffset(program.readUInt32LE(entry.at));
  return program.subarray(from, from + program.readUInt32LE(entry.at + 4));
}

function childrenOf(program: Buffer, root: number, folder: number): { id: number; name: string; at: number }[] {
  const count = program.readUInt16LE(folder + 12) + program.readUInt16LE(folder + 14);
  return Array.from({ length: count }, (_, index) => {
    const entry = folder + 16 + index * 8;
    const id = program.readUInt32LE(entry);
    const nameAt = root + (id & 0x7fffffff);
    const isNamed = id > 0x7fffffff;
    const name = isNamed ? program.toString("utf16le", nameAt + 2, nameAt + 2 + 2 * program.readUInt16LE(nameAt)) : "";
    return { id, name, at: root + (program.readUInt32LE(entry + 4) & 0x7fffffff) };
  });
}

function offset64(program: Buffer, at: number): number {
  return Number(program.readBigUInt64LE(at));
}

function padded(size: number): number {
  return Math.ceil(size / 4) * 4;
}

function textAt(program: Buffer, at: number, size: number): string {
  return program.toString("latin1", at, at + size).replace(/\0.*$/s, "");
}

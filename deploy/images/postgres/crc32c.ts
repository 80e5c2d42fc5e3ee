/** The checksum of PostgreSQL's control file and log: CRC-32C. */
export function crc32c(...parts: readonly Buffer[]): number {
  let crc = 0xffff_ffff;
  for (const part of parts) {
    for (const byte of part) crc = (table[(crc ^ byte) & 0xff] ?? 0) ^ (crc >>> 8);
  }
  return (crc ^ 0xffff_ffff) >>> 0;
}

const polynomial = 0x82f6_3b78;
const table = Uint32Array.from({ length: 256 }, (_, byte) => {
  let rest = byte;
  for (let bit = 0; bit < 8; bit += 1) rest = rest & 1 ? (rest >>> 1) ^ polynomial : rest >>> 1;
  return rest;
});

import type { TimedBytes } from "./arrivals.ts";

/** Puts before each line the time at which its beginning came; nothing where that isn't known. */
export function createLineStamper(): (part: TimedBytes) => Uint8Array {
  let isInside = false;
  return ({ bytes, at }) => {
    if (at === undefined || bytes.byteLength === 0) {
      isInside = bytes.at(-1) === undefined ? isInside : bytes.at(-1) !== newline;
      return bytes;
    }
    const stamp = Buffer.from(`${at.toISOString()} `);
    const parts: Uint8Array[] = [];
    for (let begin = 0; begin < bytes.byteLength; ) {
      const found = bytes.indexOf(newline, begin);
      const end = found < 0 ? bytes.byteLength : found + 1;
      if (!isInside) parts.push(stamp);
      parts.push(bytes.subarray(begin, end));
      isInside = found < 0;
      begin = end;
    }
    return Buffer.concat(parts);
  };
}

const newline = 10;

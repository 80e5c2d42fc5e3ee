// One item of RFC 8949: maps by their names, and texts. Other values are undefined.
export function readCbor(bytes: Buffer): unknown {
  let at = 0;
  return readItem(0);

  function readItem(depth: number): unknown {
    if (depth > deepest) throw broken();
    const initial = take(1).readUInt8();
    const major = initial >> 5;
    const argument = readArgument(initial & 0x1f);
    switch (major) {
      // Kubernetes writes texts as strings of bytes.
      case 2:
      case 3:
        return take(argument).toString("utf8");
      case 4:
        for (let left = argument; left > 0; left--) readItem(depth + 1);
        return undefined;
      case 5: {
        const members = new Map<unknown, unknown>();
        for (let left = argument; left > 0; left--) members.set(readItem(depth + 1), readItem(depth + 1));
        return members;
      }
      case 6:
        return readItem(depth + 1);
      default:
        return undefined;
    }
  }

  function readArgument(info: number): number {
    if (info < 24) return info;
    // Kubernetes says every length.
    if (info > 27) throw broken();
    return [...take(2 ** (info - 24))].reduce((value, byte) => value * 256 + byte, 0);
  }

  function take(sizeBytes: number): Buffer {
    if (at + sizeBytes > bytes.byteLength) throw broken();
    at += sizeBytes;
    return bytes.subarray(at - sizeBytes, at);
  }
}

function broken(): Error {
  return new Error("not CBOR");
}

const deepest = 200;

// Replies as bytes, in the version of the protocol that the client asked for.

export type RespVersion = 2 | 3;

export function okReply(): Buffer {
  return Buffer.from("+OK\r\n");
}

/** The code is an upper-case word that clients may know: ERR, NOAUTH, WRONGPASS. */
export function failureReply(code: string, message: string): Buffer {
  // A line's end would begin another reply.
  return Buffer.from(`-${code} ${message.replace(/[\r\n]+/g, " ").slice(0, 1_024)}\r\n`);
}

export function nothingReply(version: RespVersion): Buffer {
  return Buffer.from(version === 3 ? "_\r\n" : "$-1\r\n");
}

export function bulkReply(text: string | Buffer): Buffer {
  const bytes = typeof text === "string" ? Buffer.from(text) : text;
  return Buffer.concat([bulkHead(bytes.length), bytes, respLineEnd]);
}

/** The bytes and a line's end come behind it. */
export function bulkHead(sizeBytes: number): Buffer {
  return Buffer.from(`$${sizeBytes}\r\n`);
}

export function integerReply(value: number): Buffer {
  return Buffer.from(`:${value}\r\n`);
}

export function listReply(elements: readonly Buffer[]): Buffer {
  return Buffer.concat([Buffer.from(`*${elements.length}\r\n`), ...elements]);
}

/** For a message that answers no command. RESP2 writes it as a list. */
export function pushReply(version: RespVersion, elements: readonly Buffer[]): Buffer {
  return Buffer.concat([Buffer.from(`${version === 3 ? ">" : "*"}${elements.length}\r\n`), ...elements]);
}

export function tableReply(version: RespVersion, entries: readonly (readonly [string, Buffer])[]): Buffer {
  const elements = entries.flatMap(([name, value]) => [bulkReply(name), value]);
  return version === 3 ? Buffer.concat([Buffer.from(`%${entries.length}\r\n`), ...elements]) : listReply(elements);
}

export const respLineEnd: Buffer = Buffer.from("\r\n");

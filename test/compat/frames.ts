// Frames as docs/PROTOCOL.md has them, read and written without the code under test.

export const types = {
  settings: 1,
  open: 2,
  head: 3,
  data: 4,
  end: 5,
  trailers: 6,
  reset: 7,
  window: 8,
  ping: 9,
  pong: 10,
  goAway: 11,
  ack: 12,
  resume: 13,
} as const;

export function frame(type: number, stream: number, payload: Buffer = Buffer.alloc(0), flags = 0): Buffer {
  const header = Buffer.alloc(8);
  header[0] = type;
  header[1] = flags;
  header.writeUInt32BE(stream, 4);
  return Buffer.concat([header, payload]);
}

export function jsonFrame(type: number, stream: number, value: unknown, flags = 0): Buffer {
  return frame(type, stream, Buffer.from(JSON.stringify(value)), flags);
}

export function dataFrame(stream: number, offset: number, bytes: Buffer, flags = 0): Buffer {
  return frame(types.data, stream, Buffer.concat([u64(offset), bytes]), flags);
}

export function windowFrame(stream: number, addBytes: number): Buffer {
  return frame(types.window, stream, u32(addBytes));
}

export function resetFrame(stream: number, code: number, text = ""): Buffer {
  return frame(types.reset, stream, Buffer.concat([Buffer.from([code >> 8, code & 0xff]), Buffer.from(text)]));
}

export function ackFrame(number: number): Buffer {
  return frame(types.ack, 0, u64(number));
}

export interface ReadFrame {
  readonly name: string;
  /** New connections have their own of these; all others are counted, and their order matters. */
  readonly isNumbered: boolean;
  readonly type: number;
  readonly stream: number;
  readonly fin: boolean;
  readonly json: unknown;
  /** Only PING and PONG have one. */
  readonly token: string | undefined;
  /** Numbers and bytes that the frame has beside its header, in words. */
  readonly says: string;
}

export function readFrame(message: Buffer): ReadFrame {
  const type = message[0] ?? 0;
  const name = names.get(type) ?? `type ${type}`;
  const isWhole = message.byteLength >= 8;
  const stream = isWhole ? message.readUInt32BE(4) : 0;
  const fin = ((message[1] ?? 0) & 1) === 1;
  const payload = message.subarray(8);
  const json = jsonTypes.has(type) ? parse(payload) : undefined;
  const isToken = type === types.ping || type === types.pong;
  const token = isToken ? payload.toString("hex") : undefined;
  return { name, isNumbered: !unnumbered.has(type), type, stream, fin, json, token, says: say(type, payload) };
}

function say(type: number, payload: Buffer): string {
  switch (type) {
    case types.data:
      return payload.byteLength < 8 ? "short" : `at ${payload.readBigUInt64BE()}, ${payload.byteLength - 8} bytes`;
    case types.reset:
      return payload.byteLength < 2 ? "short" : `code ${payload.readUInt16BE()}`;
    case types.window:
      return payload.byteLength < 4 ? "short" : `${payload.readUInt32BE()} bytes more`;
    case types.ack:
      return payload.byteLength < 8 ? "short" : `up to ${payload.readBigUInt64BE()}`;
    default:
      return "";
  }
}

function parse(payload: Buffer): unknown {
  try {
    return JSON.parse(payload.toString());
  } catch {
    return undefined;
  }
}

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

function u64(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(value));
  return bytes;
}

const names = new Map<number, string>(Object.entries(types).map(([name, type]) => [type, name.toUpperCase()]));
const jsonTypes: ReadonlySet<number> = new Set([
  types.settings,
  types.open,
  types.head,
  types.trailers,
  types.goAway,
  types.resume,
]);
const unnumbered: ReadonlySet<number> = new Set([types.settings, types.ping, types.pong, types.ack, types.resume]);

// The bytes of an exec on the wire, as clients and API servers send them.
import { once } from "node:events";
import { constants, createDeflate } from "node:zlib";
import { spdyDictionary } from "./spdy-dictionary.ts";
import type { Channel, SessionStart } from "./types.ts";

export const execStart: SessionStart = {
  requestId: "req-exec",
  at: Date.UTC(2030, 0, 1),
  principal: { name: "alice@example.com" },
  cluster: "east",
  attributes: { subresource: "exec", namespace: "a", name: "web" },
  upgrade: "websocket",
  subprotocol: "v4.channel.k8s.io",
  query: "container=app&command=sh&tty=true",
};

export interface Said {
  readonly side: "client" | "cluster";
  readonly channel: Channel;
  readonly bytes: Buffer;
}

export interface Sent {
  readonly side: "client" | "cluster";
  readonly bytes: Buffer;
}

const numbers: Readonly<Record<Channel, number>> = { stdin: 0, stdout: 1, stderr: 2, error: 3, resize: 4 };

/** Makes a message, in as many frames as there are cuts, with a ping between two of them. */
export function toWebSocket(said: Said, options: { base64?: boolean; cuts?: readonly number[] } = {}): Sent {
  const { base64 = false, cuts = [] } = options;
  const number = numbers[said.channel];
  const payload = base64
    ? Buffer.from(`${number}${said.bytes.toString("base64")}`)
    : Buffer.concat([Buffer.of(number), said.bytes]);
  const isMasked = said.side === "client";
  const edges = [0, ...cuts.map((cut) => cut % (payload.length + 1)).sort((a, b) => a - b), payload.length];
  const frames = edges.slice(1).flatMap((end, index) => {
    const isLast = index === edges.length - 2;
    const opcode = index === 0 ? 2 : 0;
    const frame = formatFrame((isLast ? 0x80 : 0) | opcode, payload.subarray(edges[index], end), isMasked);
    return isLast ? [frame] : [frame, formatFrame(0x89, Buffer.from("ping"), isMasked)];
  });
  return { side: said.side, bytes: Buffer.concat(frames) };
}

export function formatFrame(first: number, payload: Buffer, isMasked: boolean): Buffer {
  const mask = Buffer.of(0x9a, 0x03, 0xff, 0x51);
  const bit = isMasked ? 0x80 : 0;
  const { length } = payload;
  const head =
    length < 126
      ? Buffer.of(first, bit | length)
      : length < 65_536
        ? Buffer.of(first, bit | 126, length >> 8, length & 255)
        : Buffer.concat([Buffer.of(first, bit | 127, 0, 0, 0, 0), uint32(length)]);
  if (!isMasked) return Buffer.concat([head, payload]);
  return Buffer.concat([head, mask, payload.map((byte, index) => byte ^ (mask[index & 3] ?? 0))]);
}

/** A session over SPDY: the client opens all streams, then what is said goes over them. */
export async function toSpdy(said: readonly Said[]): Promise<Sent[]> {
  const deflate = createDeflate({ dictionary: spdyDictionary });
  const compress = async (plain: Buffer): Promise<Buffer> => {
    deflate.write(plain);
    deflate.flush(constants.Z_SYNC_FLUSH);
    const chunks: Buffer[] = [];
    do {
      if (deflate.readableLength === 0) await once(deflate, "readable");
      chunks.push(deflate.read() as Buffer);
    } while (
      !chunks
        .at(-1)
        ?.subarray(-4)
        .equals(Buffer.of(0, 0, 255, 255))
    );
    return Buffer.concat(chunks);
  };
  const streams: Partial<Record<Channel, number>> = {};
  const sent: Sent[] = [];
  for (const [index, channel] of (["error", "stdin", "stdout", "stderr", "resize"] as const).entries()) {
    const stream = 2 * index + 1;
    streams[channel] = stream;
    const pairs = [":host", "api", "streamtype", channel];
    const block = Buffer.concat([uint32(2), ...pairs.flatMap((text) => [uint32(text.length), Buffer.from(text)])]);
    const payload = Buffer.concat([uint32(stream), uint32(0), Buffer.of(0, 0), await compress(block)]);
    sent.push({ side: "client", bytes: formatControl(1, payload) });
    // The answer's headers belong to the other side's compression; nobody reads them.
    sent.push({ side: "cluster", bytes: formatControl(2, Buffer.concat([uint32(stream), Buffer.from("whatever")])) });
  }
  sent.push({ side: "client", bytes: formatControl(6, uint32(1)) });
  for (const { side, channel, bytes } of said) {
    const head = Buffer.concat([uint32(streams[channel] ?? 0), uint32(bytes.length)]);
    sent.push({ side, bytes: Buffer.concat([head, bytes]) });
  }
  return sent;
}

export function formatControl(type: number, payload: Buffer): Buffer {
  return Buffer.concat([Buffer.of(0x80, 3, 0, type), uint32(payload.length), payload]);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

// An agent that says whatever it likes: a certificate, sockets to the agents' door, and frames made by hand.
import type { Duplex } from "node:stream";
import { linkPath, linkSocketOptions, linkSubprotocol } from "@fairlead/protocol";
import { WebSocket } from "ws";

export interface RawAgent {
  readonly agentUrl: string;
  readonly caPem: string;
  readonly cert: string;
  readonly key: string;
}

/** docs/PROTOCOL.md §2. */
export const types = { settings: 1, open: 2, data: 4, reset: 7, window: 8, ping: 9 } as const;

/** Undefined when the hub doesn't let it in. */
export async function openRawLink(agent: RawAgent): Promise<WebSocket | undefined> {
  const { agentUrl, caPem: ca, cert, key } = agent;
  const url = agentUrl.replace("https:", "wss:") + linkPath;
  const socket = new WebSocket(url, linkSubprotocol, { ...linkSocketOptions, ca, cert, key });
  return new Promise((resolve) => {
    socket.once("open", () => resolve(socket));
    socket.on("error", () => resolve(undefined));
  });
}

export function settings(): Buffer {
  return frame(types.settings, 0, JSON.stringify({ versions: [1], streams: 10_000, resume: true, lanes: 2 }));
}

/** A call without an end. */
export function open(stream: number, path: string): Buffer {
  const headers = ["content-type", path.endsWith("/Sync") ? "application/connect+proto" : "application/proto"];
  const head = { target: "rpc", method: "POST", path, headers, upgrade: false, requestId: "r" };
  return frame(types.open, stream, JSON.stringify({ ...head, deadlineMs: 86_400_000, window: 1_000_000 }));
}

export function data(stream: number, offset: number, bytes: Buffer): Buffer {
  const at = Buffer.alloc(8);
  at.writeUInt32BE(offset, 4);
  return frame(types.data, stream, Buffer.concat([at, bytes]));
}

export function frame(type: number, stream: number, payload: Buffer | string): Buffer {
  const header = Buffer.alloc(8);
  header[0] = type;
  header.writeUInt32BE(stream, 4);
  return Buffer.concat([header, Buffer.from(payload)]);
}

/** Many frames at once, past what would slow us down. */
export function flood(socket: WebSocket, frames: readonly Buffer[]): boolean {
  const { _socket: raw } = socket as unknown as { readonly _socket: Duplex | null };
  if (raw === null || socket.readyState !== WebSocket.OPEN) return false;
  return raw.write(Buffer.concat(frames.flatMap((one) => [webSocketHead(one.byteLength), one])));
}

/** RFC 6455 §5.2, of a client whose mask is zero. */
function webSocketHead(sizeBytes: number): Buffer {
  const small = sizeBytes < 126;
  const head = Buffer.alloc(small ? 6 : 8);
  head[0] = 0x82;
  head[1] = 0x80 | (small ? sizeBytes : 126);
  if (!small) head.writeUInt16BE(sizeBytes, 2);
  return head;
}

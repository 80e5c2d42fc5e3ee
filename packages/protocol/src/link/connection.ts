// One WebSocket of `ws` under a lane of a session: its frames go in, its end is told, and both only for as long as the
// lane stands on it.
import type { Duplex } from "node:stream";
import type { FairleadError } from "@fairlead/kernel";
import type { RawData, WebSocket } from "ws";
import { frameInvalid, frameTooLarge, socketFailed } from "./errors.ts";
import { frameTypes, headerBytes, maxFrameBytes } from "./frame.ts";
import type { Session } from "./session.ts";
import { WsCarrier } from "./ws-carrier.ts";

export function createCarrier(options: {
  readonly webSocket: WebSocket;
  readonly isClient: boolean;
  readonly highWaterBytes: number;
}): WsCarrier {
  const { webSocket } = options;
  // `ws` has no door to its socket; frames are written to it directly (see ws-carrier.ts).
  const { _socket: socket } = webSocket as unknown as { readonly _socket?: Duplex | null };
  if (!socket || webSocket.readyState !== webSocket.OPEN) throw socketFailed(undefined);
  return new WsCarrier({ ...options, socket });
}

export function connect(options: {
  readonly webSocket: WebSocket;
  readonly carrier: WsCarrier;
  readonly session: Session;
  readonly lane: number;
}): void {
  const { webSocket, carrier, session, lane } = options;
  carrier.bind({ writable: () => session.writable(lane) });
  webSocket.on("message", (message, isBinary) => {
    if (!session.isOn(lane, carrier)) return;
    if (isBinary) session.receive(message as Buffer, lane);
    else session.violate(frameInvalid("a text message"));
  });
  webSocket.on("close", (code, reason) => {
    if (session.isOn(lane, carrier)) session.carrierClosed(code, reason.toString(), lane);
  });
  webSocket.on("error", (error) => {
    if (!session.isOn(lane, carrier)) return;
    const known = toSocketError(error);
    if (known.code === "LINK_FRAME_TOO_LARGE") session.violate(known);
    else session.carrierFailed(known, lane);
  });
}

/** RESUME, which goes before all that a session sends on a connection. */
export function resumeFrame(json: string): Buffer {
  const frame = Buffer.alloc(headerBytes + Buffer.byteLength(json));
  frame[0] = frameTypes.resume;
  frame.write(json, headerBytes);
  return frame;
}

/** The JSON of a RESUME; undefined for any other message. */
export function readResume(message: RawData, isBinary: boolean): string | undefined {
  if (!isBinary || !Buffer.isBuffer(message) || message.byteLength < headerBytes) return undefined;
  return message[0] === frameTypes.resume ? message.toString("utf8", headerBytes) : undefined;
}

/** What `ws` has to say of a peer, as one of our errors. */
export function toSocketError(error: Error): FairleadError {
  const isOversized = "code" in error && error.code === "WS_ERR_UNSUPPORTED_MESSAGE_LENGTH";
  return isOversized ? frameTooLarge(maxFrameBytes + 1, maxFrameBytes) : socketFailed(error);
}

// Connects a WebSocket of `ws` to a lane of a session: frames go in and the end is told, for as long as the lane stands
// on this socket.
import type { Duplex } from "node:stream";
import type { FairleadError } from "@fairlead/kernel";
import type { WebSocket } from "ws";
import type { Session } from "../session/index.ts";
import { maxFrameBytes, wireErrors } from "../wire/index.ts";
import { WsCarrier } from "./ws-carrier.ts";

export function createCarrier(options: {
  readonly webSocket: WebSocket;
  readonly isClient: boolean;
  readonly highWaterBytes: number;
}): WsCarrier {
  const { webSocket } = options;
  // `ws` has no door to its socket; frames are written to it directly (see ws-carrier.ts).
  const { _socket: socket } = webSocket as unknown as { readonly _socket?: Duplex | null };
  if (!socket || webSocket.readyState !== webSocket.OPEN) throw wireErrors.LINK_SOCKET_FAILED();
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
    else session.violate(wireErrors.LINK_FRAME_INVALID({ text: "a text message" }));
  });
  webSocket.on("close", (code, reason) => {
    if (session.isOn(lane, carrier)) session.carrierClosed(code, reason.toString(), lane);
  });
  webSocket.on("error", (error) => {
    if (!session.isOn(lane, carrier)) return;
    const known = toSocketError(error);
    if (wireErrors.is(known, "LINK_FRAME_TOO_LARGE")) session.violate(known);
    else session.carrierFailed(known, lane);
  });
}

/** Translates an error of `ws` into one of ours. */
export function toSocketError(error: Error): FairleadError {
  const isOversized = "code" in error && error.code === "WS_ERR_UNSUPPORTED_MESSAGE_LENGTH";
  return isOversized
    ? wireErrors.LINK_FRAME_TOO_LARGE({ sizeBytes: maxFrameBytes + 1, limitBytes: maxFrameBytes })
    : wireErrors.LINK_SOCKET_FAILED({ cause: error });
}

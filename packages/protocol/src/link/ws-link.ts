// A link over a WebSocket of `ws`: how its sockets are configured, and the two ways to put a session on one.
import type { Duplex } from "node:stream";
import type { Clock } from "@fairlead/kernel";
import type { ClientOptions, ServerOptions, WebSocket } from "ws";
import type { LinkBudget } from "./budget.ts";
import { frameInvalid, frameTooLarge, socketFailed } from "./errors.ts";
import { maxFrameBytes } from "./frame.ts";
import { defaultLinkLimits, type LinkLimits } from "./limits.ts";
import { Session } from "./session.ts";
import type { Link, StreamAcceptor } from "./types.ts";
import { WsCarrier } from "./ws-carrier.ts";

export const linkSubprotocol = "fairlead.link.v1";
export const linkPath = "/agent/v1/link";

/** For the agent's `new WebSocket(url, linkSubprotocol, …)`. */
export const linkSocketOptions: ClientOptions = {
  perMessageDeflate: false,
  maxPayload: maxFrameBytes,
  // An all-zero mask is valid RFC 6455 and skips the XOR on both ends. Masks protect caches from scripts in browsers;
  // there are none inside our TLS.
  generateMask: (mask) => void mask.fill(0),
};

/** For the hub's `new WebSocketServer(…)`. */
export const linkServerOptions: ServerOptions = {
  noServer: true,
  clientTracking: false,
  perMessageDeflate: false,
  maxPayload: maxFrameBytes,
  handleProtocols: (offered) => (offered.has(linkSubprotocol) ? linkSubprotocol : false),
};

export interface LinkOptions {
  /** Of `ws`, already open. */
  readonly socket: WebSocket;
  /** Called for each stream that the peer opens. */
  readonly accept: StreamAcceptor;
  readonly limits?: Partial<LinkLimits>;
  readonly budget?: LinkBudget;
  readonly clock?: Clock;
}

/** The side that accepted the socket (hub). Its streams have even ids. */
export function acceptLink(options: LinkOptions): Link {
  return createLink(options, false);
}

/** The side that dialled (agent). Its streams have odd ids. */
export function attachLink(options: LinkOptions): Link {
  return createLink(options, true);
}

function createLink(options: LinkOptions, isDialler: boolean): Link {
  const { socket: webSocket, limits } = options;
  // `ws` has no door to its socket; frames are written to it directly (see ws-carrier.ts).
  const { _socket: socket } = webSocket as unknown as { readonly _socket?: Duplex | null };
  if (!socket || webSocket.readyState !== webSocket.OPEN) throw socketFailed(undefined);
  const { socketHighWaterBytes: highWaterBytes } = { ...defaultLinkLimits, ...limits };
  const carrier = new WsCarrier({ webSocket, socket, isClient: isDialler, highWaterBytes });
  const session = new Session({ ...options, carrier, isDialler });
  carrier.bind(session);
  webSocket.on("message", (message, isBinary) => {
    if (isBinary) session.receive(message as Buffer);
    else session.violate(frameInvalid("a text message"));
  });
  webSocket.on("close", (code, reason) => session.carrierClosed(code, reason.toString()));
  webSocket.on("error", (error) => {
    if (isOversized(error)) session.violate(frameTooLarge(maxFrameBytes + 1, maxFrameBytes));
    else session.carrierFailed(error);
  });
  return session;
}

function isOversized(error: Error): boolean {
  return "code" in error && error.code === "WS_ERR_UNSUPPORTED_MESSAGE_LENGTH";
}

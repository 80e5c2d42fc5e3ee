// A link over a WebSocket of `ws`: how its sockets are configured, and the two ways to put a session on one.
import type { Clock } from "@fairlead/kernel";
import type { ClientOptions, ServerOptions, WebSocket } from "ws";
import type { LinkBudget } from "./budget.ts";
import type { LinkLimits } from "./limits.ts";
import type { Link, StreamAcceptor } from "./types.ts";

export const linkSubprotocol = "fairlead.link.v1";
export const linkPath = "/agent/v1/link";

/** For the agent's `new WebSocket(url, linkSubprotocol, …)`. */
export const linkSocketOptions: ClientOptions = {
  perMessageDeflate: false,
  maxPayload: 262_144,
  // An all-zero mask is valid RFC 6455 and skips the XOR on both ends. Masks protect caches from scripts in browsers;
  // there are none inside our TLS.
  generateMask: (mask) => void mask.fill(0),
};

/** For the hub's `new WebSocketServer(…)`. */
export const linkServerOptions: ServerOptions = {
  noServer: true,
  clientTracking: false,
  perMessageDeflate: false,
  maxPayload: 262_144,
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
export function acceptLink(_options: LinkOptions): Link {
  throw new Error("not yet");
}

/** The side that dialled (agent). Its streams have odd ids. */
export function attachLink(_options: LinkOptions): Link {
  throw new Error("not yet");
}

// A link over a WebSocket of `ws`: how its sockets are configured, and the two ways to put a session on one.
import { type Clock, systemClock } from "@fairlead/kernel";
import type { ClientOptions, ServerOptions, WebSocket } from "ws";
import {
  type BudgetOf,
  defaultLinkLimits,
  type Link,
  type LinkBudget,
  type LinkLimits,
  type PeerStreams,
  type ResumingSide,
  Session,
  sessionErrors,
} from "../session/index.ts";
import type { StreamAcceptor } from "../stream/index.ts";
import { maxFrameBytes } from "../wire/index.ts";
import { connect, createCarrier } from "./connection.ts";
import type { LinkSessions } from "./link-sessions.ts";
import type { FirstMessage } from "./receive-socket.ts";
import { type DialAgain, redial } from "./redial.ts";
import { RedialPace } from "./redial-pace.ts";

export const linkSubprotocol = "fairlead.link.v1";
export const linkPath = "/agent/v1/link";
/** Where hubs dial each other. */
export const hubLinkPath = "/hub/v1/link";

/** Options of the agent's `new WebSocket(url, linkSubprotocol, …)`. */
export const linkSocketOptions: ClientOptions = {
  perMessageDeflate: false,
  maxPayload: maxFrameBytes,
  // An all-zero mask is valid RFC 6455 and skips the XOR on both ends. Masks protect caches from scripts in browsers;
  // there are none inside our TLS.
  generateMask: (mask) => void mask.fill(0),
};

/** Options of the hub's `new WebSocketServer(…)`. */
export const linkServerOptions: ServerOptions = {
  noServer: true,
  clientTracking: false,
  perMessageDeflate: false,
  maxPayload: maxFrameBytes,
  // A frame is one message in one piece; what is on the way may cut it up a little. Crumbs cost many times their bytes.
  maxFragments: 64,
  maxBufferedChunks: 2_048,
  handleProtocols: (offered) => (offered.has(linkSubprotocol) ? linkSubprotocol : false),
};

export interface LinkOptions {
  /** A socket of `ws` that is open. */
  readonly socket: WebSocket;
  /** Called for each stream that the peer opens. */
  readonly accept: StreamAcceptor;
  readonly limits?: Partial<LinkLimits>;
  readonly budget?: LinkBudget;
  readonly budgetOf?: BudgetOf;
  readonly peers?: PeerStreams;
  readonly clock?: Clock;
}

/** The side that accepted the socket (hub). Its streams have even ids. */
export function acceptLink(
  options: LinkOptions & {
    /** The link can be found here again when its connection is lost; without it, the link ends with that. */
    readonly sessions?: LinkSessions;
    /** The message that `receiveSocket` has already read. */
    readonly first?: FirstMessage;
  },
): Link {
  const { socket, sessions, first } = options;
  const session = createLink(options, false, sessions && { by: "waiting", nameSession: (one) => sessions.name(one) });
  if (first) socket.emit("message", first.message, first.isBinary);
  return session;
}

/** The side that dialled (agent). Its streams have odd ids. */
export function attachLink(
  options: LinkOptions & {
    /** Called when the connection is lost. Without it the link ends with its connection. */
    readonly dialAgain?: DialAgain;
    /** Takes a connection on which the peer waits for a new link, since it doesn't know this one any more. */
    readonly keepSpare?: (webSocket: WebSocket) => void;
  },
): Link {
  const { dialAgain, keepSpare, clock = systemClock, limits } = options;
  const { socketHighWaterBytes: highWaterBytes } = { ...defaultLinkLimits, ...limits };
  if (dialAgain === undefined) return createLink(options, true, undefined);
  const pace = new RedialPace(clock);
  let over: AbortController | undefined;
  return createLink(options, true, {
    by: "dialling",
    dial(session, lane) {
      over ??= abortWith(session);
      void redial({ session, lane, dial: dialAgain, clock, highWaterBytes, signal: over.signal, pace, keepSpare });
    },
  });
}

function abortWith(link: Link): AbortController {
  const over = new AbortController();
  void link.closed.then(() => over.abort(sessionErrors.LINK_CLOSED()));
  return over;
}

function createLink(options: LinkOptions, isDialler: boolean, resuming: ResumingSide | undefined): Link {
  const { socket: webSocket, limits } = options;
  const { socketHighWaterBytes: highWaterBytes } = { ...defaultLinkLimits, ...limits };
  const carrier = createCarrier({ webSocket, isClient: isDialler, highWaterBytes });
  const session = new Session({ ...options, carrier, isDialler, resuming });
  connect({ webSocket, carrier, session, lane: 0 });
  return session;
}

// The side that is dialled: the first frame of a connection says whether it begins a link or goes on with one.
import { type Clock, type FairleadError, toFairleadError } from "@fairlead/kernel";
import type { RawData, WebSocket } from "ws";
import { defaultLinkLimits, type Link, type LinkLimits } from "../session/index.ts";
import { closeCodes, formatResume, parseResume, type Resume, readResume } from "../wire/index.ts";
import { connect, createCarrier, toSocketError } from "./connection.ts";
import { socketErrors } from "./errors.ts";
import type { LinkSessions } from "./link-sessions.ts";

/** A message that has been read off its socket and nobody has looked at. */
export interface FirstMessage {
  readonly message: RawData;
  readonly isBinary: boolean;
}

export interface ReceiveSocketOptions {
  /** A socket of `ws` that the other side has just opened. */
  readonly socket: WebSocket;
  readonly sessions: LinkSessions;
  readonly limits?: Partial<LinkLimits> | undefined;
  readonly clock: Clock;
  /** A peer that says nothing for this long is let go. */
  readonly timeoutMs: number;
  /** A new link: give socket and message to `acceptLink`, at once. */
  onLink(first: FirstMessage): void;
  /** True when the peer that dialled this socket may go on with that link. */
  mayResume(link: Link): boolean;
  onResumed(link: Link): void;
  /** The link has got its lane for bulk; nothing was lost before. */
  onJoined?(link: Link): void;
  /** It asked for a link that isn't here. True when the socket is somebody else's to serve from now on. */
  passOn?(session: string, first: FirstMessage): boolean;
  /** False: a peer whose link isn't known has to dial again to begin one. */
  readonly mayBegin?: boolean | undefined;
  /** It asked for a link that isn't there, or isn't its own. */
  onRefused(error: FairleadError): void;
  /** It broke the rules before it had said anything. */
  onBroken(error: FairleadError): void;
}

export function receiveSocket(options: ReceiveSocketOptions): void {
  const { socket, onLink, onRefused } = options;
  awaitMessage(options, (first) => {
    const json = readFirst(first);
    if (json === undefined) return onLink(first);
    let asked: Resume | undefined;
    try {
      asked = parseResume(json);
      resume(options, asked, first);
    } catch (thrown) {
      onRefused(toFairleadError(thrown));
      if (asked?.orBegin && options.mayBegin !== false) askToBegin(options);
      else refuse(socket);
    }
  });
}

/** A second handshake would cost both sides more than all else that a new link takes. */
function askToBegin(options: ReceiveSocketOptions): void {
  const { socket, onLink } = options;
  awaitMessage(options, (first) => {
    if (readFirst(first) === undefined) onLink(first);
    else refuse(socket);
  });
  socket.send(formatResume({ begin: true }));
}

/** Nobody learns whether there is such a link. */
function refuse(socket: WebSocket): void {
  socket.close(closeCodes.sessionUnknown, "no such session");
}

function awaitMessage(options: ReceiveSocketOptions, take: (first: FirstMessage) => void): void {
  const { socket, clock, timeoutMs, onBroken } = options;
  const cancel = clock.after(timeoutMs, () => socket.terminate());
  const onError = (error: Error): void => onBroken(toSocketError(error));
  socket.on("error", onError);
  socket.once("close", cancel);
  socket.once("message", (message, isBinary) => {
    cancel();
    socket.off("close", cancel);
    socket.off("error", onError);
    socket.on("error", ignore);
    take({ message, isBinary });
  });
}

function resume(options: ReceiveSocketOptions, { session: name, lane, received }: Resume, first: FirstMessage): void {
  const { socket, sessions, mayResume, onResumed } = options;
  const session = sessions.find(name);
  if (session === undefined && options.passOn?.(name, first)) return;
  if (session === undefined) throw socketErrors.LINK_SESSION_UNKNOWN();
  if (!mayResume(session)) throw socketErrors.LINK_RESUME_FOREIGN();
  const { socketHighWaterBytes: highWaterBytes } = { ...defaultLinkLimits, ...options.limits };
  const carrier = createCarrier({ webSocket: socket, isClient: false, highWaterBytes });
  const isNew = !session.has(lane);
  const isAttached = session.attach(lane, carrier, received, (ours) => {
    const frame = formatResume({ received: ours });
    carrier.send(frame, frame.byteLength);
  });
  if (!isAttached) throw socketErrors.LINK_SESSION_UNKNOWN();
  connect({ webSocket: socket, carrier, session, lane });
  if (isNew) options.onJoined?.(session);
  else onResumed(session);
}

function readFirst({ message, isBinary }: FirstMessage): string | undefined {
  return isBinary ? readResume(message) : undefined;
}

function ignore(): void {
  // The socket's close says the same.
}

// The side that is dialled: the first frame of a connection says whether it begins a link or goes on with one.
import { randomBytes } from "node:crypto";
import { type Clock, type FairleadError, toFairleadError } from "@fairlead/kernel";
import type { RawData, WebSocket } from "ws";
import { closeCodes } from "./carrier.ts";
import { connect, createCarrier, readResume, resumeFrame, toSocketError } from "./connection.ts";
import { resumeForeign, sessionUnknown } from "./errors.ts";
import { formatResume, parseResume } from "./heads.ts";
import { defaultLinkLimits, type LinkLimits } from "./limits.ts";
import type { Session } from "./session.ts";
import type { Link } from "./types.ts";

/** A message that has been read off its socket and nobody has looked at. */
export interface FirstMessage {
  readonly message: RawData;
  readonly isBinary: boolean;
}

/** The links that can be gone on with: one table for all that a process accepts. */
export class LinkSessions {
  readonly #byName = new Map<string, Session>();

  /** A name that can't be guessed, for as long as the session lives. */
  name(session: Session): string {
    const name = randomBytes(16).toString("base64url");
    this.#byName.set(name, session);
    void session.closed.then(() => this.#byName.delete(name));
    return name;
  }

  find(name: string): Session | undefined {
    return this.#byName.get(name);
  }
}

export interface ReceiveSocketOptions {
  /** Of `ws`, just opened by the other side. */
  readonly socket: WebSocket;
  readonly sessions: LinkSessions;
  readonly limits?: Partial<LinkLimits> | undefined;
  readonly clock: Clock;
  /** A peer that says nothing for this long is let go. */
  readonly timeoutMs: number;
  /** A new link: give socket and message to `acceptLink`, at once. */
  onLink(first: FirstMessage): void;
  /** Whether whoever dialled this socket may go on with that link. */
  mayResume(link: Link): boolean;
  onResumed(link: Link): void;
  /** The link has got its lane for bulk; nothing was lost before. */
  onJoined?(link: Link): void;
  /** It asked for a link that isn't there, or isn't its own. */
  onRefused(error: FairleadError): void;
  /** It broke the rules before it had said anything. */
  onBroken(error: FairleadError): void;
}

export function receiveSocket(options: ReceiveSocketOptions): void {
  const { socket, clock, timeoutMs, onLink, onRefused, onBroken } = options;
  const cancel = clock.after(timeoutMs, () => socket.terminate());
  const onError = (error: Error): void => onBroken(toSocketError(error));
  socket.on("error", onError);
  socket.once("close", cancel);
  socket.once("message", (message, isBinary) => {
    cancel();
    socket.off("close", cancel);
    socket.off("error", onError);
    socket.on("error", ignore);
    const json = readResume(message, isBinary);
    if (json === undefined) {
      onLink({ message, isBinary });
      return;
    }
    try {
      resume(options, json);
    } catch (thrown) {
      onRefused(toFairleadError(thrown));
      // Nobody learns whether there is such a link.
      socket.close(closeCodes.sessionUnknown, "no such session");
    }
  });
}

function resume(options: ReceiveSocketOptions, json: string): void {
  const { socket, sessions, mayResume, onResumed } = options;
  const { session: name, lane, received } = parseResume(json);
  const session = sessions.find(name);
  if (session === undefined) throw sessionUnknown();
  if (!mayResume(session)) throw resumeForeign();
  const { socketHighWaterBytes: highWaterBytes } = { ...defaultLinkLimits, ...options.limits };
  const carrier = createCarrier({ webSocket: socket, isClient: false, highWaterBytes });
  const isNew = session.receivedOn(lane) === undefined;
  const isAttached = session.attach(lane, carrier, received, (ours) => {
    const frame = resumeFrame(formatResume({ received: ours }));
    carrier.send(frame, frame.byteLength);
  });
  if (!isAttached) throw sessionUnknown();
  connect({ webSocket: socket, carrier, session, lane });
  if (isNew) options.onJoined?.(session);
  else onResumed(session);
}

function ignore(): void {
  // The socket's close says the same.
}

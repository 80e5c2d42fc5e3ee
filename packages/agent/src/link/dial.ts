import { attachLink, type Link, type LinkBudget, type LinkLimits, type StreamAcceptor } from "@fairlead/protocol";
import type { WebSocket } from "ws";
import type { LinkIdentity } from "../identity/index.ts";
import { type DialSocketOptions, dialSocket } from "./dial-socket.ts";
import type { SpareConnection } from "./spare-connection.ts";

export interface DialOptions extends DialSocketOptions {
  readonly accept: StreamAcceptor;
  readonly budget: LinkBudget;
  readonly limits?: Partial<LinkLimits>;
  /** The identity of the moment in which the link's connection has to be made again: it may have been renewed. */
  readonly currentIdentity?: () => LinkIdentity | undefined;
  /** Holds a connection that the last link left open for the next one. */
  readonly spare?: SpareConnection;
}

/** Dials the hub and puts a link on the connection; when that is lost, the link dials by itself. */
export async function dialLink(options: DialOptions): Promise<Link> {
  const { accept, budget, clock, spare, limits = {}, currentIdentity = () => undefined } = options;
  const socket = spare?.take(options.identity) ?? (await dialSocket(options));
  const shown = new WeakMap<WebSocket, LinkIdentity>();
  return attachLink({
    socket,
    accept,
    budget,
    clock,
    limits,
    async dialAgain({ signal, timeoutMs }) {
      const identity = currentIdentity() ?? options.identity;
      const again = await dialSocket({ ...options, identity, signal, timeoutMs });
      shown.set(again, identity);
      return again;
    },
    ...(spare && { keepSpare: (left: WebSocket) => spare.keep(left, shown.get(left) ?? options.identity) }),
  });
}

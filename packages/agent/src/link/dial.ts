import { attachLink, type Link, type LinkBudget, type LinkLimits, type StreamAcceptor } from "@fairlead/protocol";
import type { LinkIdentity } from "../identity/index.ts";
import { type DialSocketOptions, dialSocket } from "./dial-socket.ts";

export interface DialOptions extends DialSocketOptions {
  readonly accept: StreamAcceptor;
  readonly budget: LinkBudget;
  readonly limits?: Partial<LinkLimits>;
  /** The identity of the moment in which the link's connection has to be made again: it may have been renewed. */
  readonly currentIdentity?: () => LinkIdentity | undefined;
}

/** Dials the hub and puts a link on the connection; when that is lost, the link dials by itself. */
export async function dialLink(options: DialOptions): Promise<Link> {
  const { accept, budget, clock, limits = {}, currentIdentity = () => undefined } = options;
  const socket = await dialSocket(options);
  return attachLink({
    ...{ socket, accept, budget, clock, limits },
    dialAgain: ({ signal, timeoutMs }) =>
      dialSocket({ ...options, identity: currentIdentity() ?? options.identity, signal, timeoutMs }),
  });
}

import { attachLink, type Link, type LinkBudget, type StreamAcceptor } from "@fairlead/protocol";
import { type DialSocketOptions, dialSocket } from "./dial-socket.ts";

export interface DialOptions extends DialSocketOptions {
  readonly accept: StreamAcceptor;
  readonly budget: LinkBudget;
}

/** Dials the hub and puts a link on the connection. */
export async function dialLink(options: DialOptions): Promise<Link> {
  const { accept, budget, clock } = options;
  const socket = await dialSocket(options);
  return attachLink({ socket, accept, budget, clock });
}

// A hub that doesn't know a cut link any more waits on the connection that asked for it: the next link begins there,
// without another handshake.
import type { WebSocket } from "ws";
import type { LinkIdentity } from "../identity/index.ts";

export interface SpareConnection {
  /** The hub knows whoever dialled it by this identity. */
  keep(socket: WebSocket, identity: LinkIdentity): void;
  /** Undefined when there is none, or it was opened with another identity. */
  take(identity: LinkIdentity): WebSocket | undefined;
}

export function createSpareConnection(): SpareConnection {
  let kept: { readonly socket: WebSocket; readonly identity: LinkIdentity } | undefined;
  return {
    keep(socket, identity) {
      kept?.socket.terminate();
      kept = { socket, identity };
    },
    take(identity) {
      const spare = kept;
      kept = undefined;
      if (spare === undefined) return undefined;
      if (isSame(spare.identity, identity) && spare.socket.readyState === spare.socket.OPEN) return spare.socket;
      spare.socket.terminate();
      return undefined;
    },
  };
}

function isSame(one: LinkIdentity, other: LinkIdentity): boolean {
  if ("vouchedBy" in one || "vouchedBy" in other) return one === other;
  return one.certificateChainPem === other.certificateChainPem;
}

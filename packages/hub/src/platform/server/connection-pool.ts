// Connections of which nobody knows yet whether they are of use. When there are too many, the one that has waited longest
// goes: whoever means it is through in a moment, and whoever holds places loses them to the next who comes.
import type { Socket } from "node:net";

export interface ConnectionPool {
  /** Without a network it counts in the sum alone. */
  add(socket: Socket, network: string | undefined): void;
  remove(socket: Socket): void;
}

export function createConnectionPool(options: {
  readonly perNetwork: number;
  readonly total: number;
  readonly onDropped: (socket: Socket) => void;
}): ConnectionPool {
  const { perNetwork, total, onDropped } = options;
  /** Oldest first, as in the sets by network. */
  const all = new Map<Socket, string | undefined>();
  const byNetwork = new Map<string, Set<Socket>>();
  return { add, remove };

  function add(socket: Socket, network: string | undefined): void {
    all.set(socket, network);
    if (network !== undefined) {
      const own = byNetwork.get(network) ?? new Set();
      byNetwork.set(network, own.add(socket));
      if (own.size > perNetwork) drop(own);
    }
    if (all.size > total) drop(all.keys());
  }

  function remove(socket: Socket): void {
    const network = all.get(socket);
    all.delete(socket);
    if (network === undefined) return;
    const own = byNetwork.get(network);
    own?.delete(socket);
    if (own?.size === 0) byNetwork.delete(network);
  }

  function drop(oldestFirst: Iterable<Socket>): void {
    const [oldest] = oldestFirst;
    if (!oldest) return;
    remove(oldest);
    onDropped(oldest);
    oldest.destroy();
  }
}

import type { Connections } from "./connections.ts";
import type { Store } from "./types.ts";

/** The part of a store that is the same wherever its database is. */
export function toStore(connections: Connections, rest: StoreEnds): Store {
  return {
    db: connections.own,
    queries: connections.asked,
    check: () => connections.check(),
    get answered() {
      return connections.answered;
    },
    shares: () => connections.readShares(),
    ...rest,
  };
}

type StoreEnds = Pick<Store, "schemaVersion" | "succession" | "lost" | "isPooled" | typeof Symbol.asyncDispose>;

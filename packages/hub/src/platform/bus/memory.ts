// A bus inside one process: for a hub that has its database alone.
import type { Adapter, TransportEvents } from "./types.ts";

/** Adapters of one hall hear each other. */
export type MemoryHall = Set<TransportEvents>;

export function createMemoryAdapter({ hall = new Set() }: { readonly hall?: MemoryHall } = {}): Adapter {
  return {
    name: "memory",
    async open(events) {
      hall.add(events);
      return {
        async send(text) {
          for (const peer of hall) if (peer !== events) peer.onMessage(text);
        },
        async [Symbol.asyncDispose]() {
          hall.delete(events);
        },
      };
    },
  };
}

import type { ConnectRouter } from "@connectrpc/connect";
import { isFairleadError } from "@fairlead/kernel";
import { formatInventoryRefusal, InventoryService } from "@fairlead/protocol";
import { toRpcError } from "../links/index.ts";
import type { Answer } from "./outbox.ts";
import type { Inventory, Peer } from "./service.ts";

/** Registers the inventory's call on a link. */
export function createInventoryRpc(inventory: Inventory): (router: ConnectRouter, peer: () => Peer) => void {
  return (router, peer) => {
    router.service(InventoryService, {
      async *sync(requests, { signal }): AsyncGenerator<Answer> {
        try {
          yield* inventory.sync(requests, { peer: peer(), signal });
        } catch (error) {
          throw toWire(error);
        }
      },
    });
  };
}

function toWire(error: unknown): Error {
  if (!isFairleadError(error)) return toRpcError(error);
  const { code, message } = error;
  const isRefusal = code === "INVENTORY_CLUSTER_REPLACED" || code === "INVENTORY_NOT_LEADER";
  return isRefusal ? formatInventoryRefusal(code, message) : toRpcError(error);
}

import type { ConnectRouter } from "@connectrpc/connect";
import { formatInventoryRefusal, InventoryService } from "@fairlead/protocol";
import { toRpcError } from "../../reach/links/index.ts";
import { inventoryErrors } from "./errors.ts";
import type { OutboxAnswer } from "./outbox.ts";
import type { Inventory, Peer } from "./service.ts";

/** Registers the inventory's call on a link. */
export function createInventoryRpc(inventory: Inventory): (router: ConnectRouter, peer: () => Peer) => void {
  return (router, peer) => {
    router.service(InventoryService, {
      async *sync(requests, { signal }): AsyncGenerator<OutboxAnswer> {
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
  const refusal = refusals.find((code) => inventoryErrors.is(error, code));
  return refusal && error instanceof Error ? formatInventoryRefusal(refusal, error.message) : toRpcError(error);
}

const refusals = ["INVENTORY_CLUSTER_REPLACED", "INVENTORY_NOT_LEADER"] as const;

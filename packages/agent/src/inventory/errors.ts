import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  INVENTORY_CALL_ENDED: {
    retryable: true,
    message: "The call that reports the cluster's objects to the hub has ended.",
    hint: "Nothing to do: the agent starts a new call.",
    meaning: "The call that reports the cluster's objects to the hub has ended without a reason.",
  },
  INVENTORY_NOT_WELCOMED: {
    retryable: true,
    message: "The hub didn't answer the inventory call within {seconds} s.",
    hint: "The agent retries. If this happens repeatedly, see the hub's log for the reason.",
    meaning: "The hub didn't answer the call that reports the cluster's objects within a minute.",
  },
} as const;

export const inventoryErrors: Errors<typeof table> = defineErrors(table);

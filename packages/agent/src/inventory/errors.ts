import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  INVENTORY_CALL_ENDED: {
    retryable: true,
    message: "The call that keeps the hub's copy of the cluster true has ended.",
    hint: "The agent makes the next one by itself.",
    meaning: "The call in which an agent reports its cluster's objects has ended without a reason.",
    remedy: "Nothing: the agent makes the next one by itself.",
  },
  INVENTORY_NOT_WELCOMED: {
    retryable: true,
    message: "The hub hasn't answered the inventory's call within {seconds} s.",
    hint: "The agent calls again by itself; see the hub's log when it doesn't pass.",
    meaning: "The hub didn't answer an agent's call about its objects within a minute.",
    remedy: "The agent calls again by itself; the hub's log tells what it waits for.",
  },
} as const;

export const inventoryErrors: Errors<typeof table> = defineErrors(table);

import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  LINK_ACK_INVALID: {
    message: "The peer acknowledges frame {number}; the last one sent has number {lastNumber}.",
    meaning: "The peer says that it got frames that were never sent. The link is closed.",
    remedy: "A bug of the peer: please report it with both versions.",
  },
} as const;

/** A lane whose peer counts otherwise. */
export const laneErrors: Errors<typeof table> = defineErrors(table);

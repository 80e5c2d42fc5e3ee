import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  LINK_ACK_INVALID: { message: "The peer acknowledges frame {number}; the last one sent has number {lastNumber}." },
} as const;

/** A lane whose peer counts otherwise. */
export const laneErrors: Errors<typeof table> = defineErrors(table);

import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  LINK_STREAM_MISUSE: { message: "{text}" },
} as const;

/** Calls that the state of a stream doesn't allow: a bug of ours, never the peer's doing. */
export const streamErrors: Errors<typeof table> = defineErrors(table);

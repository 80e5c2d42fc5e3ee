import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  LINK_STREAM_MISUSE: {
    message: "{text}",
    meaning: "A stream was used in a way that its state doesn't allow.",
    remedy: "A bug: please report it with the log.",
  },
} as const;

/** Calls that the state of a stream doesn't allow: a bug of ours, never the peer's doing. */
export const streamErrors: Errors<typeof table> = defineErrors(table);

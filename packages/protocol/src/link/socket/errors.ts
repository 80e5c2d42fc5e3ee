import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  LINK_RESUME_FOREIGN: {
    message: "An agent asked to go on with the link of another.",
    hint: "No agent knows another one's session by chance. Look at who holds the certificate that was shown.",
  },
  /** The other side no longer has what it takes to go on with the link. */
  LINK_SESSION_UNKNOWN: {
    message: "The hub doesn't know the link that was cut, so it can't go on.",
    hint: "The hub was restarted, or the cut took too long. The agent opens a new link by itself.",
    retryable: true,
  },
} as const;

/** The reasons why a connection can't go on with a link. */
export const socketErrors: Errors<typeof table> = defineErrors(table);

import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  LINK_RESUME_FOREIGN: {
    message: "An agent asked to go on with the link of another.",
    hint: "No agent knows another one's session by chance. Look at who holds the certificate that was shown.",
    meaning:
      "An agent asked to go on with the link of another one; it was refused, and its cluster has an event of it.",
    remedy: "Agents don't do this by chance: look at who holds that cluster's certificate, and revoke it if in doubt.",
  },
  /** The other side no longer has what it takes to go on with the link. */
  LINK_SESSION_UNKNOWN: {
    message: "The hub doesn't know the link that was cut, so it can't go on.",
    hint: "The hub was restarted, or the cut took too long. The agent opens a new link by itself.",
    retryable: true,
    meaning:
      "A link can't go on after a cut: the other side was restarted, or the cut lasted over 30 s. Its streams end in an error.",
  },
} as const;

/** The reasons why a connection can't go on with a link. */
export const socketErrors: Errors<typeof table> = defineErrors(table);

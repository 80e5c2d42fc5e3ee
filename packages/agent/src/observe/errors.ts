import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  OBSERVE_SALT_FAILED: {
    retryable: true,
    message: "The salt of the projection can't be kept in {place}.",
    hint: "Nothing is observed without it. The agent needs to read and update its identity's Secret or folder.",
  },
  OBSERVE_NOT_SYNCED: {
    retryable: true,
    message: "{message}",
    hint: "It passes by itself; the agent's log says what is in the way when it doesn't.",
  },
} as const;

export const observeErrors: Errors<typeof table> = defineErrors(table);

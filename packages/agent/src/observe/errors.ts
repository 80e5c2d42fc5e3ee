import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  OBSERVE_SALT_FAILED: {
    retryable: true,
    message: "The salt of the projection can't be kept in {place}.",
    hint: "Nothing is observed without it. The agent needs to read and update its identity's Secret or folder.",
  },
  OBSERVE_GROUP_RESERVED: {
    message: "{kind} isn't observed: the group fairlead.dev is Fairlead's own.",
    hint: "Nothing else is affected. Define the kind in a group of your own, if people are to see its objects on the hub.",
  },
  OBSERVE_NOT_SYNCED: {
    retryable: true,
    message: "{message}",
    hint: "It passes by itself; the agent's log says what is in the way when it doesn't.",
  },
} as const;

export const observeErrors: Errors<typeof table> = defineErrors(table);

import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  OBSERVE_SALT_FAILED: {
    retryable: true,
    message: "The salt of the projection can't be kept in {place}.",
    hint: "Nothing is observed without it. The agent needs to read and update its identity's Secret or folder.",
    meaning:
      "The agent can't read or write the salt of the hashes that stand for values; nothing is observed without it.",
    remedy:
      "It is kept beside the agent's identity: give it `get` and `update` on that Secret, or write access to its folder.",
  },
  OBSERVE_GROUP_RESERVED: {
    message: "{kind} isn't observed: the group fairlead.dev is Fairlead's own.",
    hint: "Nothing else is affected. Define the kind in a group of your own, if people are to see its objects on the hub.",
    meaning:
      "The cluster defines a kind in the group `fairlead.dev` or below it. It isn't observed, so that it can't pass for [what the agent derives](inventory.md#is-the-cluster-fit).",
  },
  OBSERVE_NOT_SYNCED: {
    retryable: true,
    message: "{message}",
    hint: "It passes by itself; the agent's log says what is in the way when it doesn't.",
    meaning: "`/readyz` of an agent: kinds are still being listed, or the hub doesn't have all of them yet.",
  },
} as const;

export const observeErrors: Errors<typeof table> = defineErrors(table);

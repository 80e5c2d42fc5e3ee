import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  OBSERVE_SALT_FAILED: {
    retryable: true,
    message: "The salt for hashed values can't be stored in {place}.",
    hint: "The agent observes nothing without the salt. Allow the agent to read and update its identity's Secret or folder.",
    meaning:
      "The agent can't read or write the salt of the hashes that replace values. It observes nothing without the salt.",
    remedy:
      "The salt is stored with the agent's identity. Give the agent `get` and `update` on that Secret, or write access to its folder.",
  },
  OBSERVE_GROUP_RESERVED: {
    message: "The agent doesn't observe {kind}: the API group fairlead.dev is reserved for Fairlead.",
    hint: "Define the kind in another API group if its objects should appear on the hub. Nothing else is affected.",
    meaning:
      "The cluster defines a kind in the API group `fairlead.dev` or below it. The agent doesn't observe it, so that it can't be mistaken for [what the agent derives](inventory.md#is-the-cluster-fit).",
  },
  OBSERVE_NOT_SYNCED: {
    retryable: true,
    message: "{message}",
    hint: "Wait. If the state doesn't change, see the agent's log for the reason.",
    meaning: "`/readyz` of an agent: the agent is still listing kinds, or the hub doesn't have all of them yet.",
  },
} as const;

export const observeErrors: Errors<typeof table> = defineErrors(table);

import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  DOCTOR_EXAMINATION_FAILED: {
    retryable: true,
    message: "The cluster could not be examined: {reason}.",
    hint: "Earlier verdicts may not be true any more. The agent tries again; its log has the error.",
    meaning:
      "The cluster could not be examined. The hub shows its addons, checks and features as unavailable; everything else goes on.",
    remedy: "The agent tries again by itself; its log has the error.",
  },
  DOCTOR_PROFILE_UNKNOWN: {
    message: "The hub wants the cluster to be examined by the profile '{name}', which this agent doesn't have.",
    hint: "Upgrade the agent to the hub's version. Until then its verdicts are of an older generation, and are shown as unknown.",
    meaning:
      "The hub wants the cluster to be examined by a profile that comes with its version, and not with the agent's. The agent goes on with the one before, and its verdicts are shown as unknown.",
  },
} as const;

export const doctorErrors: Errors<typeof table> = defineErrors(table);

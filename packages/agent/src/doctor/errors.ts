import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  DOCTOR_EXAMINATION_FAILED: {
    retryable: true,
    message: "The agent couldn't examine the cluster: {reason}.",
    hint: "Earlier verdicts may be outdated. The agent retries; see its log for the error.",
    meaning:
      "The agent couldn't examine the cluster. The hub shows its addons, checks and features as unavailable; everything else continues.",
    remedy: "The agent retries; see its log for the error.",
  },
  DOCTOR_PROFILE_UNKNOWN: {
    message: "The hub requests the fitness profile '{name}', which this agent doesn't have.",
    hint: "Upgrade the agent to the hub's version. Until then, its verdicts come from an older generation and are shown as unknown.",
    meaning:
      "The hub requests a fitness profile that its own version includes and the agent's doesn't. The agent keeps using the previous profile, and its verdicts are shown as unknown.",
  },
} as const;

export const doctorErrors: Errors<typeof table> = defineErrors(table);

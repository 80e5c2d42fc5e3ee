import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  DOCTOR_PROFILE_INVALID: {
    httpStatus: 400,
    message: "{file}:{line}:{column}: {mistake}",
    hint: "Correct the file at the line and column that the message names. A profile that extends a built-in one names only what differs.",
    meaning:
      "A profile that somebody wrote has a mistake. The message names the file, line and column, and what is expected there. In the log of an agent: the hub took the profile, and the agent's version doesn't understand it; its verdicts are shown as unknown.",
    remedy:
      "Correct that place. A profile that extends a built-in one names only what differs. Upgrade the agent if it is older than the hub.",
  },
} as const;

export const profileErrors: Errors<typeof table> = defineErrors(table);

import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  DOCTOR_PROFILE_INVALID: {
    httpStatus: 400,
    message: "{file}:{line}:{column}: {mistake}",
    hint: "Correct the file at the line and column that the message names. A profile that extends a built-in one contains only the differences.",
    meaning:
      "A custom profile has a mistake. The message names the file, line and column, and the expected content. In the log of an agent: the hub accepted the profile, but the agent's version doesn't understand it. Its verdicts are shown as unknown.",
    remedy:
      "Correct that place. A profile that extends a built-in one contains only the differences. Upgrade the agent if it is older than the hub.",
  },
} as const;

export const profileErrors: Errors<typeof table> = defineErrors(table);

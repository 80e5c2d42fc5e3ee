import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  DOCTOR_PROFILE_INVALID: {
    httpStatus: 400,
    message: "{file}:{line}:{column}: {mistake}",
    hint: "Correct the file at the line and column that the message names. A profile that extends a built-in one names only what differs.",
  },
} as const;

export const profileErrors: Errors<typeof table> = defineErrors(table);

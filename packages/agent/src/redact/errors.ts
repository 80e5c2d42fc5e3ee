import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  REDACT_TOO_MUCH: {
    message: "The secret values are too large to be kept out of logs and results.",
    hint: "One value may have up to {limitKib} KiB. Refer to smaller ones, or to fewer at once.",
    meaning:
      "Secret values are too large, or too many, to be kept out of logs and results: 64 KiB for a value, 4 MiB for all values with their lines and leaves.",
  },
} as const;

export const redactErrors: Errors<typeof table> = defineErrors(table);

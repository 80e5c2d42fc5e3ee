import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  REDACT_TOO_MUCH: {
    message: "The secret values are too large to mask in logs and results.",
    hint: "A value has at most {limitKib} KiB. Refer to smaller values, or to fewer at once.",
    meaning:
      "Secret values are too large, or too many, to mask in logs and results. The limits are 64 KiB per value, and 4 MiB for all values with their lines and leaves.",
  },
} as const;

export const redactErrors: Errors<typeof table> = defineErrors(table);

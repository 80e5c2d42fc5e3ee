import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  DOCTOR_EXAMINATION_FAILED: {
    retryable: true,
    message: "The cluster could not be examined: {reason}.",
    hint: "What was said of it before isn't true any more by itself. The agent tries again; its log has the error.",
  },
} as const;

export const doctorErrors: Errors<typeof table> = defineErrors(table);

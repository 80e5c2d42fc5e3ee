import { defineErrors, type Errors } from "./define-errors.ts";
import { type FairleadError, isFairleadError } from "./errors.ts";

const table = {
  INTERNAL: {
    message: "An unexpected error occurred.",
    hint: "See the process's log for details, under the same request ID.",
    meaning: "The program met an unexpected condition. This is a bug.",
  },
} as const;

export const internalErrors: Errors<typeof table> = defineErrors(table);

/** For every boundary: whatever was thrown becomes a coded error, and its own text stays in `cause`. */
export function toFairleadError(thrown: unknown): FairleadError {
  return isFairleadError(thrown) ? thrown : internalErrors.INTERNAL({ cause: thrown });
}

import { defineErrors, type Errors } from "./define-errors.ts";
import { type FairleadError, isFairleadError } from "./errors.ts";

const table = {
  INTERNAL: {
    message: "Something unexpected went wrong.",
    hint: "The log of the process has the details under the same request id.",
    meaning: "Something that the program did not expect; a fault of ours.",
  },
} as const;

export const internalErrors: Errors<typeof table> = defineErrors(table);

/** For every boundary: whatever was thrown becomes a coded error, and its own text stays in `cause`. */
export function toFairleadError(thrown: unknown): FairleadError {
  return isFairleadError(thrown) ? thrown : internalErrors.INTERNAL({ cause: thrown });
}

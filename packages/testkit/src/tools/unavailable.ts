import { testkitErrors } from "../errors.ts";

/** The line that says what is missing; undefined for any other error. */
export function unavailableReason(error: unknown): string | undefined {
  return testkitErrors.is(error, "TOOLS_UNAVAILABLE") ? error.message : undefined;
}

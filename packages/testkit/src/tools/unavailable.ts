import { isFairleadError } from "@fairlead/kernel";

/** The one line that says what is missing, if that is what this error tells. */
export function unavailableReason(error: unknown): string | undefined {
  return isFairleadError(error) && error.code === "TOOLS_UNAVAILABLE" ? error.message : undefined;
}

import { isFairleadError } from "@fairlead/kernel";
import type { ToolName } from "./catalog.ts";
import { ensureTools, type ToolPaths } from "./ensure-tools.ts";

/** The one line that says what is missing, if that is what this error tells; other errors are not for skipping. */
export function unavailableReason(error: unknown): string | undefined {
  return isFairleadError(error) && error.code === "TOOLS_UNAVAILABLE" ? error.message : undefined;
}

/** For a test: the binaries' paths, or the test is reported as skipped with the reason. */
export async function skipUnlessTools<const Name extends ToolName>(
  test: { skip: (note?: string) => void },
  names: readonly Name[],
): Promise<ToolPaths<Name>> {
  try {
    return await ensureTools(names);
  } catch (error) {
    const reason = unavailableReason(error);
    if (reason !== undefined) test.skip(reason);
    throw error;
  }
}

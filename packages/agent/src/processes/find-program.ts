import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { delimiter, isAbsolute, join } from "node:path";
import { processErrors } from "./errors.ts";

export interface FoundProgram {
  readonly name: string;
  /** Its file. */
  readonly path: string;
}

/** Throws PROCESS_PROGRAM_MISSING. Relative folders on the path aren't looked into: a child runs in a folder of its own. */
export async function findProgram(name: string, path: string | undefined): Promise<FoundProgram> {
  for (const folder of (path ?? "").split(delimiter)) {
    if (!isAbsolute(folder)) continue;
    const file = join(folder, name);
    const isThere = await access(file, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isThere) return { name, path: file };
  }
  throw processErrors.PROCESS_PROGRAM_MISSING({ program: name });
}

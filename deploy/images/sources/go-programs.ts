// Programs that are built of the Go modules below tools/, for the machine that is asked for.
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { ensureImageTool, type ImageTool } from "@fairlead/testkit";
import type { GoProgramName } from "../go-programs.ts";
import type { Arch } from "../platform.ts";
import { fetchGoLicences } from "./go-licences.ts";

export interface GoProgram extends ImageTool {
  readonly name: GoProgramName;
  readonly sha256: string;
  /** The licences of all that is in it. */
  readonly licences: string;
}

/** Takes minutes where the cache has none of them. */
export async function fetchGoPrograms(
  names: readonly GoProgramName[],
  options: { readonly arch: Arch; readonly onProgress?: ((line: string) => void) | undefined },
): Promise<GoProgram[]> {
  const programs: GoProgram[] = [];
  for (const name of names) {
    const tool = await ensureImageTool(name, options);
    const sha256 = createHash("sha256")
      .update(await readFile(tool.path))
      .digest("hex");
    programs.push({ ...tool, name, sha256, licences: await fetchGoLicences(name, tool.built) });
  }
  return programs;
}

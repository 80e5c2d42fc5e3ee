// Programs that are built of the Go modules below tools/, for the machine that is asked for.
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { ensureImageTool, type ImageTool } from "@fairlead/testkit";
import { type GoProgramName, goPrograms } from "../go-programs.ts";
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
  options: {
    readonly arch: Arch;
    /** Of our own programs. */
    readonly version: string;
    readonly onProgress?: ((line: string) => void) | undefined;
  },
): Promise<GoProgram[]> {
  const programs: GoProgram[] = [];
  for (const name of names) {
    const { tool: toolName, isOurs } = goPrograms[name];
    const tool = await ensureImageTool(toolName, options);
    // Go knows no version of a module that is built where it lies.
    const main = { ...tool.built.main, ...(isOurs && { version: options.version }) };
    const sha256 = createHash("sha256")
      .update(await readFile(tool.path))
      .digest("hex");
    const built = { ...tool.built, main };
    programs.push({ ...tool, built, name, sha256, licences: await fetchGoLicences(name, built, { isOurs }) });
  }
  return programs;
}

// Finds fairlead-runner: the one of this package, which is of the agent's version, or else the one on the PATH. An image has
// it on the PATH alone.
import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { processErrors } from "./errors.ts";
import { findProgram } from "./find-program.ts";

/** Throws FENCE_MISSING. */
export async function findRunner(options: {
  readonly path: string | undefined;
  /** The package's folder of programs. */
  readonly programs?: string;
}): Promise<string> {
  const { path, programs = ownPrograms } = options;
  const own = join(programs, `${process.platform}-${goArches[process.arch] ?? process.arch}`, name);
  const isThere = await access(own, constants.X_OK).then(
    () => true,
    () => false,
  );
  if (isThere) return own;
  const found = await findProgram(name, path).catch((error: unknown) => {
    throw processErrors.FENCE_MISSING({ reason: `the program ${name} isn't on the agent's PATH`, cause: error });
  });
  return found.path;
}

const name = "fairlead-runner";
/** Beside the folder of the compiled code. */
const ownPrograms = fileURLToPath(new URL("../../programs", import.meta.url));
/** The machine as Go names it. */
const goArches: Readonly<Record<string, string>> = { x64: "amd64", arm64: "arm64" };

import { mkdir, mkdtemp, readdir, rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { cliErrors, fileNotWritten } from "../errors.ts";
import { hasErrno, isMissing } from "../files/index.ts";

/**
 * Writes the files into a folder that is empty or isn't there yet: all of them or none. They are written beside it, and
 * the whole takes its place at once; where somebody was faster, theirs stays.
 */
export async function writeNewFolder(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  const target = resolve(folder);
  await refuseUsed(target);
  try {
    await mkdir(dirname(target), { recursive: true });
    const beside = await mkdtemp(join(dirname(target), `.${basename(target)}-`));
    try {
      for (const [name, text] of Object.entries(files)) await writeFile(join(beside, name), text, { flag: "wx" });
      await rename(beside, target);
    } catch (thrown) {
      await rm(beside, { recursive: true, force: true });
      throw thrown;
    }
  } catch (thrown) {
    const isTaken = hasErrno(thrown, "ENOTEMPTY") || hasErrno(thrown, "EEXIST");
    throw isTaken ? cliErrors.CLI_FOLDER_NOT_EMPTY({ folder }) : fileNotWritten(folder, thrown);
  }
}

export async function refuseUsed(folder: string): Promise<void> {
  const found = await readdir(folder).catch((thrown: unknown) => {
    if (isMissing(thrown)) return [];
    if (hasErrno(thrown, "ENOTDIR")) throw cliErrors.CLI_FOLDER_NOT_EMPTY({ folder });
    throw fileNotWritten(folder, thrown);
  });
  if (found.length > 0) throw cliErrors.CLI_FOLDER_NOT_EMPTY({ folder });
}

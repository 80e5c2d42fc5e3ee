// What programs need to find of this machine inside of a fence, beside the system's folders. Links are followed here: in a
// fence their way may lead through folders that aren't there.
import { realpath } from "node:fs/promises";
import { delimiter, dirname, isAbsolute, join } from "node:path";
import type { ChildEnvironment } from "./environment.ts";

export interface ProgramFolders {
  /** Folders with programs that runs start, and certificates. */
  readonly read: readonly string[];
  /** Variables by which programs find them. */
  readonly environment: ChildEnvironment;
}

export async function findProgramFolders(
  /** The agent's own. */
  environment: Readonly<Record<string, string | undefined>>,
): Promise<ProgramFolders> {
  const { PATH = "" } = environment;
  const lookedInto = await Promise.all(PATH.split(delimiter).filter(isAbsolute).map(lookInto));
  const folders = [...new Set(lookedInto.flat())];
  const certificates: Record<string, string> = {};
  for (const name of ["SSL_CERT_FILE", "SSL_CERT_DIR"]) {
    const place = await realpath(environment[name] ?? "").catch(() => undefined);
    if (place !== undefined) certificates[name] = place;
  }
  return {
    read: [...folders, ...Object.values(certificates)],
    environment: { ...certificates, PATH: [...folders, PATH].join(delimiter) },
  };
}

async function lookInto(folder: string): Promise<readonly string[]> {
  const files = await Promise.all(started.map((name) => realpath(join(folder, name)).catch(() => undefined)));
  return files.flatMap((file) => (file === undefined ? [] : [dirname(file)]));
}

/** Programs that others start by their names. */
const started = ["tofu", "helm", "git", "ssh", "kubectl"];

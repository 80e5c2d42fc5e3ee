import { open } from "node:fs/promises";
import { builtInProfiles, fairlead, type Profile, parseProfile } from "@fairlead/doctor";
import { fileNotRead, usage } from "../errors.ts";

/** The name of a built-in profile, or a file. */
export async function readProfile(given: string = fairlead.name): Promise<Profile> {
  const builtIn = builtInProfiles.find(({ name }) => name === given);
  if (builtIn) return builtIn;
  if (!/\.(ya?ml|json)$/.test(given)) {
    const names = builtInProfiles.map(({ name }) => name).join(", ");
    throw usage(`The profile '${given}' doesn't exist.`, `Use ${names}, or a file that ends in .yaml, .yml or .json.`);
  }
  return parseProfile(await readStart(given), given);
}

/** More than a profile may have, in any script, and no more than that of a file that is none. */
const limitBytes = 512 * 1024;

async function readStart(file: string): Promise<string> {
  try {
    await using handle = await open(file);
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(limitBytes));
    return buffer.toString("utf8", 0, bytesRead);
  } catch (cause) {
    throw fileNotRead(file, cause);
  }
}

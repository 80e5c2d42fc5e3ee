import { readFile } from "node:fs/promises";
import { cliErrors, fileNotRead } from "../errors.ts";
import { followLinks, isMissing, writePrivateFile } from "../files/index.ts";
import type { KubeconfigEntries } from "./entries.ts";
import { lockKubeconfig } from "./lock.ts";
import { isAllManaged, mergeKubeconfig, refreshKubeconfig } from "./merge.ts";

/** Adds the entries to the file, making it when it isn't there. */
export async function mergeIntoFile(file: string, entries: readonly KubeconfigEntries[]): Promise<void> {
  const target = await followLinks(file);
  await using _ = await lockKubeconfig(target, { waitMs: lockWaitMs });
  await writePrivateFile(target, mergeKubeconfig({ file, text: await readOrEmpty(target), entries }));
}

/** Makes a file of these entries alone; one that holds anything else is left as it is. */
export async function replaceFile(file: string, entries: readonly KubeconfigEntries[]): Promise<void> {
  const target = await followLinks(file);
  await using _ = await lockKubeconfig(target, { waitMs: lockWaitMs });
  if (!isAllManaged(file, await readOrEmpty(target))) throw cliErrors.CLI_KUBECONFIG_FOREIGN({ file });
  await writePrivateFile(target, mergeKubeconfig({ file, text: "", entries }));
}

/** Writes the hub's CA into the file's entries of that hub; resolves with their names. */
export async function refreshFile(
  file: string,
  { hub, ca }: { hub: string; ca?: string | undefined },
): Promise<string[]> {
  const target = await followLinks(file);
  await using _ = await lockKubeconfig(target, { waitMs: lockWaitMs });
  const before = await readOrEmpty(target);
  const { text, names } = refreshKubeconfig({ file, text: before, hub, ca });
  if (names.length > 0 && text !== before) await writePrivateFile(target, text);
  return names;
}

const lockWaitMs = 5_000;

async function readOrEmpty(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (thrown) {
    if (isMissing(thrown)) return "";
    throw fileNotRead(file, thrown);
  }
}

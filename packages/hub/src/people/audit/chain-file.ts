// Chooses the chain of records that a hub writes. Hubs that share a database have one each. Its name is in the data folder,
// so that a hub goes on with its chain after a restart; one without a folder begins another each time.
import { open, readFile, rename } from "node:fs/promises";
import { dirname } from "node:path";
import { createId } from "@fairlead/kernel";
import type { Logger } from "../../platform/telemetry/index.ts";
import type { ChainEnds } from "./chain-store.ts";
import { auditErrors } from "./errors.ts";
import type { AuditStore } from "./store.ts";
import { firstChain } from "./types.ts";

export async function settleChain(options: {
  readonly file: string | undefined;
  readonly isShared: boolean;
  readonly store: AuditStore;
  readonly hub: string;
  readonly log: Logger;
}): Promise<ChainEnds & { readonly chain: string }> {
  const { file, isShared, store, hub, log } = options;
  const known = file === undefined ? undefined : await readName(file);
  if (known !== undefined) {
    const ends = await store.chain(known).goOn(hub);
    if (ends) return { chain: known, ...ends };
    log.warn({ chain: known }, "this hub's chain of audit records isn't in the database; it begins another");
  }
  if (!isShared) return await goOn(firstChain);
  const chain = createId("chain");
  await store.chain(chain).begin(hub);
  if (file !== undefined) await writeName(file, chain);
  return await goOn(chain);

  async function goOn(name: string): Promise<ChainEnds & { readonly chain: string }> {
    const ends = await store.chain(name).goOn(hub);
    if (!ends) throw auditErrors.AUDIT_DAMAGED({ seq: 0 });
    return { chain: name, ...ends };
  }
}

async function readName(file: string): Promise<string | undefined> {
  try {
    const text = (await readFile(file, "utf8")).trim();
    return /^chain_[0-9a-z]{26}$/.test(text) ? text : undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** On disk before the first record is: records under a name that nobody finds again would look like those of a lost hub. */
async function writeName(file: string, chain: string): Promise<void> {
  const whole = await open(`${file}.new`, "w", 0o600);
  try {
    await whole.writeFile(`${chain}\n`);
    await whole.sync();
  } finally {
    await whole.close();
  }
  await rename(`${file}.new`, file);
  const folder = await open(dirname(file), "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

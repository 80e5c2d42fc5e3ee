// Looks for the canary wherever it may not be: what the hub answers and keeps, what programs print, what the agent keeps,
// and the arguments of every process.
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Harness } from "./harness.ts";

/** As it is, in JSON, in URLs, in hex, and in base64 at each of the three offsets. */
export function spellingsOf(canary: string): readonly Buffer[] {
  const base64 = [0, 1, 2].map((shift) =>
    Buffer.from("x".repeat(shift) + canary)
      .toString("base64")
      // Characters that depend on the neighbours are cut off.
      .slice(shift === 0 ? 0 : 4, -4),
  );
  const texts = [canary, JSON.stringify(canary).slice(1, -1), encodeURIComponent(canary), ...base64];
  return [...new Set([...texts, Buffer.from(canary).toString("hex")])].map((text) => Buffer.from(text));
}

export function hasCanary(bytes: Buffer, spellings: readonly Buffer[]): boolean {
  return spellings.some((spelling) => bytes.includes(spelling));
}

/** Until the signal aborts. */
export async function watchArguments(harness: Harness, signal: AbortSignal): Promise<void> {
  const spellings = spellingsOf(harness.canary);
  while (!signal.aborted) {
    for (const pid of await readdir("/proc")) {
      if (!/^\d+$/.test(pid)) continue;
      const bytes = await readFile(`/proc/${pid}/cmdline`).catch(() => undefined);
      if (bytes !== undefined && hasCanary(bytes, spellings))
        harness.breaks(`process ${pid} has the canary in its arguments`);
    }
    await delay(200, undefined, { signal }).catch(() => undefined);
  }
}

/** In all files of a folder. */
export async function searchFolder(harness: Harness, folder: string): Promise<void> {
  const spellings = spellingsOf(harness.canary);
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const bytes = await readFile(path).catch(() => Buffer.alloc(0));
    if (hasCanary(bytes, spellings)) harness.breaks(`${entry.name} in ${folder} has the canary`);
  }
}

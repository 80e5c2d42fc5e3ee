// Takes the lock and stays, when it gets a lock's path alone. Given a counter file and a number too, it counts up that
// often under the lock.
import { readFile, writeFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { waitForFileLock } from "./file-lock.ts";

const [path = "", counter, rounds] = process.argv.slice(2);

if (counter === undefined) {
  await waitForFileLock({ path, timeoutMs: 10_000 });
  process.send?.("locked");
  await delay(60_000);
} else {
  for (let round = 0; round < Number(rounds); round++) {
    await using _lock = await waitForFileLock({ path, timeoutMs: 15_000, pollMs: 1 });
    const count = Number(await readFile(counter, "utf8"));
    await delay(1);
    await writeFile(counter, String(count + 1));
  }
  process.disconnect?.();
}

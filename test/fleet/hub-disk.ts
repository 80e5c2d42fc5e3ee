// A disk of the hub's own under its data folder, that can be full.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { mountForgetful, type StartHubOptions } from "@fairlead/testkit";
import type { SmallDisk } from "./small-disk.ts";

/** Only root may mount one. The hub is started with `hub`. */
export async function mountHubDisk(
  undo: AsyncDisposableStack,
): Promise<{ readonly disk: Pick<SmallDisk, "fill">; readonly hub: Pick<StartHubOptions, "stateDir" | "launcher"> }> {
  const stateDir = await mkdtemp(join(tmpdir(), "fairlead-hub-"));
  undo.defer(() => rm(stateDir, { recursive: true, force: true }));
  const mounted = undo.use(await mountForgetful({ folder: join(stateDir, "data") }));
  const fill = (): AsyncDisposable => {
    const filled = mounted.fill();
    filled.catch(() => undefined);
    return {
      async [Symbol.asyncDispose]() {
        await filled;
        await mounted.heal();
      },
    };
  };
  return { disk: { fill }, hub: { stateDir, launcher: mounted.launcher } };
}

// Ends what a hub that is gone has left in a folder that is thrown away, and the folder.
import { rm } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { exists } from "../exists.ts";
import { endServerOn } from "../postgres/end-server.ts";
import { postgresFolder } from "../postgres/paths.ts";

/** Again until it stays gone: the hub may have been killed while it made the folder's contents or started the server. */
export async function removeThrowaway(dataDir: string): Promise<void> {
  for (let round = 0, quietRounds = 0; round < mostRounds && quietRounds < 3; round++) {
    await endServerOn(postgresFolder(dataDir));
    await rm(dataDir, { recursive: true, force: true }).catch(() => undefined);
    quietRounds = (await exists(dataDir)) ? 0 : quietRounds + 1;
    await sleep(roundMs);
  }
}

const mostRounds = 60;
const roundMs = 300;

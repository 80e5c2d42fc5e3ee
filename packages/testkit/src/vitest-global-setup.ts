// Vitest's configuration names this file as `globalSetup`. It makes sharedCluster() work in every worker, and sees to the
// binaries before the first test, since building Kubernetes takes longer than any test may.

import { randomUUID } from "node:crypto";
import { clusterTools } from "./cluster/index.ts";
import { testRunVariable } from "./fairlead/index.ts";
import { startBroker } from "./shared/index.ts";
import { ensureTools, unavailableReason } from "./tools/index.ts";

let broker: AsyncDisposable | undefined;

export async function setup(): Promise<void> {
  process.env[testRunVariable] = randomUUID();
  for (const names of [clusterTools, ["helm"] as const]) {
    try {
      await ensureTools(names);
    } catch (error) {
      const reason = unavailableReason(error);
      if (reason === undefined) throw error;
      process.stderr.write(`tools: ${reason} Tests that need it are skipped.\n`);
    }
  }
  broker = await startBroker();
}

export async function teardown(): Promise<void> {
  await broker?.[Symbol.asyncDispose]();
}

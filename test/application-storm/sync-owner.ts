// Kills the hub that owns a cluster's sync, and has another one own it before that one is back.

import { waitUntil } from "@fairlead/kernel/testing";
import type { TestHub } from "@fairlead/testkit";
import type { Faulted } from "../fleet/keep-failing.ts";
import { requestHub } from "../fleet/request-hub.ts";
import type { Harness } from "./harness.ts";

export function createSyncOwner(options: {
  readonly hubs: readonly TestHub[];
  readonly cluster: string;
  readonly report: Pick<Harness, "breaks" | "count">;
}): Faulted["hub"] {
  const { hubs, cluster, report } = options;
  let killed: TestHub | undefined;
  return {
    async stop(how) {
      const find = async (): Promise<boolean> => {
        killed = await findOwner(hubs);
        return killed !== undefined;
      };
      await waitUntil(find, { timeoutMs });
      if (!killed) report.breaks("no hub owned the sync");
      await killed?.stop(how);
    },
    async start() {
      const others = hubs.filter((hub) => hub !== killed);
      const isTaken = await waitUntil(async () => (await findOwner(others)) !== undefined, { timeoutMs });
      if (isTaken) report.count("owners followed");
      else report.breaks("no other hub took the sync over");
      await killed?.start();
    },
  };

  async function findOwner(among: readonly TestHub[]): Promise<TestHub | undefined> {
    for (const hub of among) {
      const [own, status] = await Promise.all([
        readJson<{ hubInstanceId: string }>(hub, "/api/v1/version"),
        readJson<{ servedBy?: string }>(hub, `/api/v1/clusters/${cluster}/gitops/status`),
      ]);
      if (status.servedBy === own.hubInstanceId) return hub;
    }
    return undefined;
  }
}

async function readJson<T>(hub: TestHub, path: string): Promise<T> {
  return JSON.parse((await requestHub(hub, path)).text) as T;
}

const timeoutMs = 90_000;

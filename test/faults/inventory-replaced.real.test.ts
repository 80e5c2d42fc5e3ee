// A name that suddenly means another cluster: a wrong kubeconfig, or one that was built anew.
import { join } from "node:path";
import { createAgentKubeconfig, leaseCluster, startAgent } from "@fairlead/testkit";
import { expect, test } from "vitest";
import { configMap, create, pathOf } from "../fleet/change-objects.ts";
import { compareWithApiServer } from "../fleet/compare-with-api-server.ts";
import { type ObserveFleet, startObserveFleet } from "../fleet/observe-fleet.ts";
import { requestHub } from "../fleet/request-hub.ts";

test("another cluster under the same name is refused until an admin confirms it", { timeout: 300_000 }, async () => {
  await using other = await leaseCluster({ name: "other" });
  await using fleet = await startObserveFleet();
  const { hub, joined, namespace, widgets } = fleet;
  await create(fleet.cluster, pathOf("configmaps", namespace.name), configMap("of-the-first"));
  await compareWithApiServer(fleet, { namespace: namespace.name });
  const { kubeSystemUid: firstUid } = await fleet.inventory();
  await joined.agent.stop("TERM");

  const kubeconfig = await createAgentKubeconfig(other, fleet.agentNamespace, { include: ["configmaps"] });
  const { stateDir } = joined.agent;
  await using _moved = await startAgent({
    name: "moved",
    hubUrl: hub.agentUrl,
    tokenFile: join(stateDir, "token"),
    kubeconfig,
    stateDir,
    args: ["--roles", "proxy,observe", "--observe-include", "configmaps"],
  });
  const { age, replacementUid, kubeSystemUid } = await fleet.waitForInventory(
    (now) => now.replacementUid !== undefined,
  );
  expect(kubeSystemUid).toBe(firstUid);
  expect(age).toMatchObject({ state: "stale" });
  const { metadata } = await other.api.json<{ metadata: { uid: string } }>({ path: "/api/v1/namespaces/kube-system" });
  expect(replacementUid).toBe(metadata.uid);
  const shown = await fleet.list({ kind: "configmaps", namespace: namespace.name });
  expect(shown.map(({ name }) => name)).toContain("of-the-first");

  expect(await confirm(fleet, firstUid?.replace(/^./, "x") ?? "")).toBe(409);
  expect(await confirm(fleet, metadata.uid)).toBe(200);
  const there = { ...fleet, cluster: other };
  await compareWithApiServer(there, { kinds: ["pods", "configmaps", "namespaces"], timeoutMs: 90_000 });
  const { kinds } = await fleet.inventory();
  expect(kinds.map(({ kind }) => kind)).not.toContain(widgets.kind);
});

async function confirm({ hub, joined }: ObserveFleet, kubeSystemUid: string): Promise<number> {
  const path = `/api/v1/clusters/${joined.name}/inventory/confirm`;
  return (await requestHub(hub, path, { method: "POST", body: JSON.stringify({ kubeSystemUid }) })).status;
}

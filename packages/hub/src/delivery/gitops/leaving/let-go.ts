// Takes Argo CD's finalizers off applications that are being deleted and whose cluster was removed or revoked: no agent will
// say that what they deployed is gone. One hub of several does so at a time.
import { type Clock, repeat, untilAbort } from "@fairlead/kernel";
import { type GitopsObject, isCarriedFinalizer } from "@fairlead/protocol";
import type { HeldLease, Leases } from "../../../platform/leases/index.ts";
import type { GitopsLeftTable } from "../../../platform/store/index.ts";
import type { Logger } from "../../../platform/telemetry/index.ts";
import type { Clusters } from "../../../reach/clusters/index.ts";
import { listOnce } from "../applications/index.ts";
import type { HubObjects } from "../types.ts";
import type { LeavingStore } from "./store.ts";

export interface LetGoOptions {
  readonly objects: HubObjects;
  readonly store: Pick<LeavingStore, "list" | "forget">;
  readonly clusters: Pick<Clusters, "meet" | "exists" | "state">;
  readonly clock: Clock;
  readonly log: Pick<Logger, "warn" | "info">;
}

export function letApplicationsGo(options: LetGoOptions & { readonly leases: Pick<Leases, "hold"> }): AsyncDisposable {
  const { leases, clock, log } = options;
  return leases.hold("gitops-leaving", {
    async work(lease) {
      await using _rounds = repeat({
        clock,
        intervalMs,
        firstMs: 0,
        run: () => letGoOnce(options, lease),
        onError: (error) => log.warn({ err: error }, "applications of clusters that are gone can't be let go now"),
      });
      await untilAbort(lease.signal);
    },
  });
}

export async function letGoOnce(
  { objects, store, clusters, clock, log }: LetGoOptions,
  lease: Pick<HeldLease, "isHeld" | "signal">,
): Promise<void> {
  const all = await store.list();
  const left: GitopsLeftTable[] = [];
  const over: string[] = [];
  for (const [cluster, rows] of Map.groupBy(all, (row) => row.cluster)) {
    if (await isAway(cluster)) left.push(...rows);
    // It wasn't removed after all, or another one has the name.
    else over.push(...rows.filter(({ left_at }) => clock.now() - left_at.getTime() > patienceMs).map(({ uid }) => uid));
  }
  for (const [namespace, rows] of Map.groupBy(left, (row) => row.namespace)) {
    const listed = await listOnce(objects, { kind, namespace, labelSelector: "" });
    const found = new Map(listed.map((object) => [object.metadata.uid, object]));
    for (const { uid, cluster } of rows) {
      const object = found.get(uid);
      if (object === undefined) over.push(uid);
      else if (object.metadata.deletionTimestamp !== undefined && lease.isHeld) await letGo(object, cluster);
    }
  }
  await store.forget(over);

  async function isAway(cluster: string): Promise<boolean> {
    await clusters.meet(cluster);
    return !clusters.exists(cluster) || clusters.state(cluster).state === "revoked";
  }

  /** A conflict is looked at again in the next round. */
  async function letGo(object: GitopsObject, cluster: string): Promise<void> {
    const { metadata } = object;
    const finalizers = (metadata.finalizers ?? []).filter((finalizer) => !isCarriedFinalizer(finalizer));
    if (finalizers.length === metadata.finalizers?.length) return;
    const bare = { ...object, metadata: { ...metadata, finalizers } };
    const result = await objects.writeFinalizers({ kind, object: bare, fence: undefined, signal: lease.signal });
    const { namespace, name } = metadata;
    if (result.is === "written")
      log.info({ cluster, namespace, name }, "an application of a cluster that is gone was let go");
  }
}

const kind = "applications";
const intervalMs = 5_000;
/** For whoever lets go of a cluster's applications and then removes it. */
const patienceMs = 600_000;

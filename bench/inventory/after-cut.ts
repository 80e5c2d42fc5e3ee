// Counts the wrong objects on the other side of a cable that was cut while objects changed and were deleted: here, and
// where an informer forwards its events.
import { setTimeout as delay } from "node:timers/promises";
import { type Cable, startCable } from "@fairlead/testkit";
import { type ForkedPeer, forkPeer } from "../harness/forked-peer.ts";
import { askHub } from "../harness/hub-api.ts";
import type { ObservedCluster } from "../harness/observed-cluster.ts";
import type { Row } from "../harness/table.ts";
import { atMost } from "../harness/targets.ts";
import { listPath } from "./objects.ts";
import type { InventoryStage } from "./stage.ts";

type Versions = ReadonlyMap<string, string>;

const workers = 8;
const settleMs = 10_000;
const perPage = 500;

export async function measureAfterCut(options: {
  stage: InventoryStage;
  observed: ObservedCluster;
  changes: number;
  deletes: number;
  cutMs: number;
  say: (text: string) => void;
}): Promise<Row[]> {
  const { stage, observed, changes, deletes, cutMs, say } = options;
  await using undo = new AsyncDisposableStack();
  const plain = await startForwarding({ stage, sendsAllAgain: false, undo });
  const again = await startForwarding({ stage, sendsAllAgain: true, undo });
  const isEven = async (peer: Forwarding) => countWrong(await readTruth(stage), await peer.versions()) === 0;
  for (let tries = 0; !(await isEven(plain)) || !(await isEven(again)); tries++) {
    if (tries === 60) throw new Error("an informer doesn't have all objects after a minute");
    await delay(1_000);
  }
  say(`cutting the cables for ${cutMs / 1000} s, with ${changes} changes and ${deletes} deletes`);
  const cables = [observed.joined.cable, plain.cable, again.cable];
  for (const cable of cables) cable.cut();
  const over = delay(cutMs);
  await stage.writer.ask("change", { kind: "configmaps", from: deletes, to: deletes + changes, workers });
  await stage.writer.ask("remove", { kind: "configmaps", from: 0, to: deletes, workers });
  await over;
  const healedAt = Date.now();
  for (const cable of cables) cable.heal();
  const rightAfterSeconds = ((await observed.untilSynced()) - healedAt) / 1000;
  await delay(Math.max(0, settleMs - (Date.now() - healedAt)));
  const now = await readTruth(stage);
  const wrong = countWrong(now, await readOurs(stage, observed));
  return [
    {
      name: `ConfigMaps that are wrong after a cut of ${cutMs / 1000} s with ${changes} changes and ${deletes} deletes`,
      unit: "",
      figures: {
        informer: countWrong(now, await plain.versions()),
        "informer, all again": countWrong(now, await again.versions()),
        fairlead: wrong,
      },
      targets: [atMost(wrong, 0, "")],
    },
    {
      name: "the hub is in step again after the cable was healed",
      unit: "s",
      figures: { fairlead: rightAfterSeconds },
      targets: [atMost(rightAfterSeconds, 3, "s")],
    },
  ];
}

interface Forwarding {
  readonly cable: Cable;
  versions(): Promise<Versions>;
}

async function startForwarding(options: {
  stage: InventoryStage;
  sendsAllAgain: boolean;
  undo: AsyncDisposableStack;
}): Promise<Forwarding> {
  const { stage, sendsAllAgain, undo } = options;
  const hub: ForkedPeer = undo.use(forkPeer("informer-hub.ts"));
  const cable = undo.use(await startCable({ to: { port: await hub.ask<number>("open") } }));
  const informer = undo.use(forkPeer("forwarding-informer.ts"));
  await informer.ask("open", { kubeconfig: stage.cluster.adminKubeconfig, hubPort: cable.port, sendsAllAgain });
  return { cable, versions: () => hub.ask<Versions>("versions") };
}

/** Objects that are missing, of another version, or no longer there. */
function countWrong(truth: Versions, copy: Versions): number {
  const stale = [...truth].filter(([uid, version]) => copy.get(uid) !== version).length;
  return stale + [...copy.keys()].filter((uid) => !truth.has(uid)).length;
}

interface Named {
  readonly metadata: { readonly uid: string; readonly resourceVersion: string };
}

const toEntry = ({ metadata }: Named): [string, string] => [metadata.uid, metadata.resourceVersion];

async function readTruth({ cluster }: InventoryStage): Promise<Versions> {
  const { items } = await cluster.api.json<{ items: Named[] }>({ path: listPath("configmaps") });
  return new Map(items.map(toEntry));
}

async function readOurs({ hub }: InventoryStage, { name }: ObservedCluster): Promise<Versions> {
  const versions = new Map<string, string>();
  let next: string | undefined;
  do {
    const query = new URLSearchParams({ kind: "configmaps", cluster: name, limit: String(perPage), include: "object" });
    if (next !== undefined) query.set("cursor", next);
    const page = await askHub<{ items: { object: Named }[]; next?: string }>(hub, `/api/v1/objects?${query}`);
    for (const { object } of page.items) versions.set(...toEntry(object));
    next = page.next;
  } while (next !== undefined);
  return versions;
}

// People and an ApplicationSet at the hub's Argo CD: they make, change, delete and sync applications of one cluster. Changes
// that the API server took are remembered: they have to come to the cluster.
import { setTimeout as delay } from "node:timers/promises";
import { type Ground, type Harness, pathOf, resourcesFinalizer, type StormApplication } from "./harness.ts";

/** The state that a cluster is to have when the storm is over. */
export interface Ledger {
  /** The newest mark of each application that wasn't deleted. */
  readonly marks: Map<string, number>;
  /** Numbers of the syncs that were asked for, by application; those of an application that was deleted are gone. */
  readonly syncs: Map<string, string[]>;
  /** Whether an application that was deleted was to take along what it deployed. */
  readonly cascades: Map<string, boolean>;
  /** Syncs that a restore of the cluster may have lost, or may have run again. */
  readonly doubted: Set<string>;
  /** The cluster will be put back to a backup of before now. */
  isGoingBack: boolean;
  /** How often it was. */
  timesBack: number;
}

export function openLedger(): Ledger {
  return {
    marks: new Map(),
    syncs: new Map(),
    cascades: new Map(),
    doubted: new Set(),
    isGoingBack: false,
    timesBack: 0,
  };
}

const mergePatch = "application/merge-patch+json";

export async function createApplication(harness: Harness, ground: Ground, ledger: Ledger, name: string): Promise<void> {
  const { hubSide } = ground;
  const mark = nextMark();
  const body = {
    apiVersion: "argoproj.io/v1alpha1",
    kind: "Application",
    metadata: { name, namespace: hubSide.namespace, finalizers: harness.chance.pick([[], [resourcesFinalizer]]) },
    spec: {
      project: "default",
      source: { repoURL: "https://git.example.com/storm.git", path: name, targetRevision: String(mark) },
      destination: { server: "https://kubernetes.default.svc", namespace: name },
    },
  };
  await hubSide.cluster.api.json({ method: "POST", path: pathOf(hubSide), body });
  ledger.marks.set(name, mark);
  harness.count("created");
}

/**
 * In a hundred turns ten make an application, three delete one, ten ask for a sync, and the rest change one: some of them as
 * the ApplicationSet controller does.
 */
export async function keepEditing(harness: Harness, ground: Ground, ledger: Ledger, pauseMs: number): Promise<void> {
  const { chance, over } = harness;
  while (!over.aborted) {
    const roll = chance.between(1, 100);
    const names = [...ledger.marks.keys()];
    if (roll <= 10 || names.length === 0) await createApplication(harness, ground, ledger, `new-${nextMark()}`);
    else if (roll <= 13) await deleteApplication(harness, ground, ledger, chance.pick(names));
    else if (roll <= 23) await askForSync(harness, ground, ledger, chance.pick(names));
    else await changeApplication({ harness, ground, ledger, name: chance.pick(names), isBySet: roll <= 43 });
    await delay(pauseMs, undefined, { signal: over }).catch(() => undefined);
  }
}

/** The ApplicationSet controller writes an application's metadata as the set's template has it: what others added goes. */
async function changeApplication(options: {
  readonly harness: Harness;
  readonly ground: Ground;
  readonly ledger: Ledger;
  readonly name: string;
  readonly isBySet: boolean;
}): Promise<void> {
  const { harness, ground, ledger, name, isBySet } = options;
  const { hubSide } = ground;
  const mark = nextMark();
  const metadata = isBySet ? { annotations: null, labels: null } : {};
  const body = { metadata, spec: { source: { targetRevision: String(mark) } } };
  await hubSide.cluster.api.json({ method: "PATCH", path: pathOf(hubSide, name), body, contentType: mergePatch });
  ledger.marks.set(name, mark);
  harness.count(isBySet ? "changed by a set" : "changed");
}

/** As argocd-server does for `argocd app delete`, with `--cascade=false` or without. */
async function deleteApplication(harness: Harness, { hubSide }: Ground, ledger: Ledger, name: string): Promise<void> {
  const { api } = hubSide.cluster;
  const path = pathOf(hubSide, name);
  const isCascading = harness.chance.pick([true, false]);
  const { metadata } = await api.json<StormApplication>({ path });
  const there = metadata.finalizers ?? [];
  const others = there.filter((finalizer) => finalizer !== resourcesFinalizer);
  if (isCascading !== there.includes(resourcesFinalizer)) {
    const body = { metadata: { finalizers: isCascading ? [...others, resourcesFinalizer] : others } };
    await api.json({ method: "PATCH", path, body, contentType: mergePatch });
  }
  await api.json({ method: "DELETE", path });
  ledger.marks.delete(name);
  ledger.syncs.delete(name);
  ledger.cascades.set(name, isCascading);
  harness.count(isCascading ? "deleted with their objects" : "deleted alone");
}

/** As argocd-server does: nobody asks while another operation is there. */
async function askForSync(harness: Harness, { hubSide }: Ground, ledger: Ledger, name: string): Promise<void> {
  const { api } = hubSide.cluster;
  const there = await api.json<StormApplication>({ path: pathOf(hubSide, name) });
  if (there.operation !== undefined) return;
  const number = String(nextMark());
  const operation = { info: [{ name: "storm", value: number }], sync: { revision: "main" } };
  const { resourceVersion } = there.metadata;
  const body = { metadata: { resourceVersion }, operation };
  const answer = await api.send({ method: "PATCH", path: pathOf(hubSide, name), body, contentType: mergePatch });
  // Somebody wrote in between.
  if (answer.status === 409) return;
  if (answer.status !== 200) throw new Error(`a sync was answered ${answer.status}: ${answer.text}`);
  ledger.syncs.set(name, [...(ledger.syncs.get(name) ?? []), number]);
  if (ledger.isGoingBack) ledger.doubted.add(number);
  harness.count("syncs asked for");
}

let marks = 0;

/** Grows, so that what comes later on one object is known to be newer. */
function nextMark(): number {
  return ++marks;
}

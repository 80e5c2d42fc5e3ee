// People and an ApplicationSet at the hub's Argo CD: they make, change, delete and sync applications of one cluster. Changes
// that the API server took are remembered: they have to come to the cluster.
import { setTimeout as delay } from "node:timers/promises";
import {
  type Ground,
  type Harness,
  numberOf,
  type Place,
  pathOf,
  resourcesFinalizer,
  type StormApplication,
} from "./harness.ts";
import { type SureAnswer, sendSurely } from "./send-surely.ts";
import type { StockArgo } from "./stock-argo.ts";

/** The state that a cluster is to have when the storm is over. */
export interface Ledger {
  /** The newest mark of each application that wasn't deleted. */
  readonly marks: Map<string, number>;
  /** The same of applications that Argo CD's controller makes of a set. */
  readonly setMarks: Map<string, number>;
  /**
   * Numbers of the syncs that were asked for, by application; those of an application that was deleted are gone. Equal syncs
   * have the same number.
   */
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
    setMarks: new Map(),
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
  await write(hubSide.cluster, { method: "POST", path: pathOf(hubSide), body }, [201]);
  ledger.marks.set(name, mark);
  harness.count("created");
}

/**
 * In a hundred turns ten make an application, three delete one, ten ask for a sync, five change the set, and the rest change
 * one: some of them as the ApplicationSet controller does.
 */
export async function keepEditing(harness: Harness, ground: Ground, ledger: Ledger, pauseMs: number): Promise<void> {
  const { chance, over } = harness;
  while (!over.aborted) {
    const roll = chance.between(1, 100);
    const names = [...ledger.marks.keys()];
    if (roll <= 10 || names.length === 0) await createApplication(harness, ground, ledger, `new-${nextMark()}`);
    else if (roll <= 13) await deleteApplication(harness, ground, ledger, chance.pick(names));
    else if (roll <= 23) await askForSync(harness, ground, ledger, chance.pick([...names, ...ledger.setMarks.keys()]));
    else if (roll <= 28 && harness.argo !== undefined) await changeSet(harness, harness.argo, ground, ledger);
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
  await write(hubSide.cluster, { method: "PATCH", path: pathOf(hubSide, name), body, contentType: mergePatch }, [200]);
  ledger.marks.set(name, mark);
  harness.count(isBySet ? "changed by a set" : "changed");
}

/** By Argo CD's CLI, or as argocd-server does for it, with `--cascade=false` or without. */
async function deleteApplication(harness: Harness, ground: Ground, ledger: Ledger, name: string): Promise<void> {
  const { chance, argo } = harness;
  const isCascading = chance.pick([true, false]);
  const isByCli = argo !== undefined && chance.pick([true, false]);
  if (isByCli) await argo.deleteApplication(`${ground.hubSide.namespace}/${name}`, { isCascading });
  else await deleteAsServer(ground, name, isCascading);
  ledger.marks.delete(name);
  noteDeleted(ledger, name, isCascading);
  harness.count(`deleted ${isCascading ? "with their objects" : "alone"}${isByCli ? " by the CLI" : ""}`);
}

async function deleteAsServer({ hubSide }: Ground, name: string, isCascading: boolean): Promise<void> {
  const { cluster } = hubSide;
  const path = pathOf(hubSide, name);
  const { text } = await write(cluster, { path }, [200]);
  const there = (JSON.parse(text) as StormApplication).metadata.finalizers ?? [];
  const others = there.filter((finalizer) => finalizer !== resourcesFinalizer);
  if (isCascading !== there.includes(resourcesFinalizer)) {
    const body = { metadata: { finalizers: isCascading ? [...others, resourcesFinalizer] : others } };
    await write(cluster, { method: "PATCH", path, body, contentType: mergePatch }, [200]);
  }
  await write(cluster, { method: "DELETE", path }, [200]);
}

function noteDeleted(ledger: Ledger, name: string, isCascading: boolean): void {
  ledger.syncs.delete(name);
  ledger.cascades.set(name, isCascading);
}

/** An application of the set is made, changed or removed. Its applications go with their objects. */
async function changeSet(harness: Harness, argo: StockArgo, { hubSide }: Ground, ledger: Ledger): Promise<void> {
  const { setMarks } = ledger;
  const names = [...setMarks.keys()];
  const how = harness.chance.between(1, 3);
  const removed = how === 1 && names.length > 1 ? harness.chance.pick(names) : undefined;
  if (removed !== undefined) {
    setMarks.delete(removed);
    noteDeleted(ledger, removed, true);
  } else setMarks.set(how === 2 && names.length > 0 ? harness.chance.pick(names) : `set-${nextMark()}`, nextMark());
  await argo.changeSet(hubSide.namespace, setMarks);
  harness.count("set changes");
}

/** As argocd-server does: nobody asks while another operation is there. */
async function askForSync(harness: Harness, ground: Ground, ledger: Ledger, name: string): Promise<void> {
  const { cluster } = ground.hubSide;
  const there = await find(ground, name);
  if (there === undefined || there.operation !== undefined || isGoing(there)) return;
  const number = harness.chance.between(1, 3) === 1 ? `same-${name}` : String(nextMark());
  const operation = { info: [{ name: "storm", value: number }], sync: { revision: "main" } };
  const { resourceVersion } = there.metadata;
  const body = { metadata: { resourceVersion }, operation };
  const path = pathOf(ground.hubSide, name);
  const { status, text, isRepeated } = await sendSurely(cluster.api, {
    method: "PATCH",
    path,
    body,
    contentType: mergePatch,
  });
  // Somebody wrote in between, or it was this one, whose answer was lost.
  if ((status === 409 || status === 404) && !(isRepeated && (await isAsked(ground, name, number)))) return;
  if (status !== 200 && status !== 409) throw new Error(`a sync was answered ${status}: ${text}`);
  // An equal one of before would look like it.
  if (isRepeated && number.startsWith("same-")) ledger.doubted.add(number);
  ledger.syncs.set(name, [...(ledger.syncs.get(name) ?? []), number]);
  if (ledger.isGoingBack) ledger.doubted.add(number);
  harness.count("syncs asked for");
}

async function isAsked(ground: Ground, name: string, number: string): Promise<boolean> {
  const there = await find(ground, name);
  return [there?.operation, there?.status?.operationState?.operation].some((one) => numberOf(one) === number);
}

/** Those of the set come and go with its controller. */
async function find({ hubSide }: Ground, name: string): Promise<StormApplication | undefined> {
  const { status, text } = await write(hubSide.cluster, { path: pathOf(hubSide, name) }, [200, 404]);
  return status === 200 ? (JSON.parse(text) as StormApplication) : undefined;
}

function isGoing({ metadata }: StormApplication): boolean {
  return metadata.deletionTimestamp !== undefined;
}

/** What was done already when its answer was lost is answered 404 or 409 the second time. */
async function write({ api }: Place["cluster"], call: Call, expected: readonly number[]): Promise<SureAnswer> {
  const answer = await sendSurely(api, call);
  const { status, text, isRepeated } = answer;
  const isDone = isRepeated && (call.method === "DELETE" ? status === 404 : call.method === "POST" && status === 409);
  if (expected.includes(status) || isDone) return answer;
  throw new Error(`${call.method ?? "GET"} ${call.path} was answered ${status}: ${text}`);
}

type Call = Parameters<typeof sendSurely>[1];

let marks = 0;

/** Grows, so that what comes later on one object is known to be newer. */
function nextMark(): number {
  return ++marks;
}

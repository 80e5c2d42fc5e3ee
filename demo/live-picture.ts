// The objects of all clusters, asked of the hub: its answer follows what happens, says how old it is, and is right
// again soon after a cable that was out is back in.

import { setTimeout as delay } from "node:timers/promises";
import { until } from "@fairlead/kernel/testing";
import { follow, patienceMs, run } from "./commands.ts";
import { askHub } from "./hub-api.ts";
import type { Progress } from "./progress.ts";
import { readAgeSeconds, readTable } from "./read-table.ts";
import type { DemoCluster, Stage } from "./stage.ts";

interface Play {
  readonly stage: Stage;
  readonly progress: Progress;
  readonly signal: AbortSignal;
}

type Row = Readonly<Record<string, string>>;

const getPods = "fairlead get pods --all-clusters";

export async function showLivePicture(play: Play): Promise<void> {
  const { stage, signal } = play;
  await until(() => hasPods(stage), "the hub has the pods of all clusters", { timeoutMs: patienceMs, signal });
  checkColumns(await showPods(play), stage.clusters);
  const [first] = stage.clusters.filter(({ made }) => made !== undefined);
  if (first) await showScaling(first, play);
}

/** Pulls a cable for long enough that nobody could mistake old for new, and changes what is behind it meanwhile. */
export async function showOldPicture(cluster: DemoCluster, play: Play): Promise<void> {
  const { stage, progress, signal } = play;
  const { name, cable } = cluster;
  const before = podsOf(name, readTable((await run(stage, getPods)).stdout));
  progress.say(`  ... pulling the cable of ${name} once more; behind it:`);
  const cutAt = performance.now();
  cable.cut();
  await changeBehindTheCut(cluster, play);
  await delay(Math.max(0, 8_000 - (performance.now() - cutAt)), undefined, { signal });
  checkOldRows({ name, before, rows: await showPods(play, cutAt), cutAt });
  await until(async () => (await ageOf(stage, name)).state !== "connected", `the hub calls ${name} stale`, {
    timeoutMs: patienceMs,
    signal,
  });
  const rows = await showPods(play, cutAt);
  checkOldRows({ name, before, rows, cutAt });
  const state = podsOf(name, rows)[0]?.["AGE-OF-DATA"] ?? "";
  if (!/^(stale|offline) /.test(state)) throw new Error(`${name} is cut off and its pods' age says '${state}'`);
  const outMs = performance.now() - cutAt;
  cable.heal();
  const healedAt = performance.now();
  progress.say(`  ... cable plugged in again after ${(outMs / 1000).toFixed(0)} s`);
  await until(() => isRight(cluster, stage), `the hub's pods of ${name} are those of its API server`, {
    timeoutMs: patienceMs,
    signal,
  });
  const tookMs = performance.now() - healedAt;
  if (tookMs > longestMendMs) throw new Error(`the table of ${name} was wrong for ${(tookMs / 1000).toFixed(1)} s`);
  progress.say(`  The hub's pods of ${name} are its API server's again, ${(tookMs / 1000).toFixed(1)} s after that.`);
  await until(() => isFresh(stage, name), `what is known of ${name} is fresh`, { timeoutMs: patienceMs, signal });
  const after = podsOf(name, await showPods(play));
  if (cluster.made && !after.some(({ NAME }) => NAME?.startsWith(`${newcomer}-`)))
    throw new Error(`the table lacks the pod of ${newcomer}, made while the cable was out`);
}

/** The same deployment, scaled through the hub, while somebody looks at all clusters. */
async function showScaling({ name }: DemoCluster, { stage, progress, signal }: Play): Promise<void> {
  const ready = new Set<string>();
  const watch = follow(stage, `${getPods} -w`, (line) => {
    progress.say(`  | ${line}`);
    const [, pod] = new RegExp(`^${name} +default +(hello-\\S+) +1/1 +Running\\b`).exec(line) ?? [];
    if (pod !== undefined) ready.add(pod);
  });
  try {
    progress.say(`  $ ${getPods} -w`);
    await until(() => ready.size >= 3, "the live picture shows the 3 pods that there are", {
      timeoutMs: patienceMs,
      signal,
    });
    const command = `kubectl --context ${name} scale deployment hello --replicas=5`;
    progress.say(`  $ ${command}`);
    await run(stage, command);
    await until(() => ready.size >= 5, "the live picture shows 5 pods that run", { timeoutMs: patienceMs, signal });
    progress.say();
  } finally {
    watch.stop();
  }
}

async function changeBehindTheCut({ name, made }: DemoCluster, { progress, signal }: Play): Promise<void> {
  if (!made) return void progress.say("          nothing is changed, because it is yours");
  const commands = [`scale deployment hello --replicas=2`, `create deployment ${newcomer} --image=demo`];
  for (const command of commands) {
    progress.say(`  $ kubectl ${command}          (straight at the API server of ${name})`);
    await made.kubectl(command.split(" "));
  }
  const hasSettled = async () => (await readPods(made)).length === 3;
  await until(hasSettled, "the changes behind the cut are done", { timeoutMs: patienceMs, signal });
}

/** The table as a person sees it, printed and read. */
async function showPods({ stage, progress }: Play, cutAt?: number): Promise<Row[]> {
  const { stdout } = await run(stage, getPods);
  const when =
    cutAt === undefined ? "" : `          (${((performance.now() - cutAt) / 1000).toFixed(0)} s after the cut)`;
  progress.showCommand(getPods + when, stdout);
  return readTable(stdout);
}

function checkColumns(rows: readonly Row[], clusters: readonly DemoCluster[]): void {
  for (const { name, made } of clusters) {
    const pods = podsOf(name, rows);
    if (made && pods.filter(({ STATUS }) => STATUS === "Running").length !== 3)
      throw new Error(`the table doesn't show the 3 pods of ${name} that run`);
    const unsure = pods.find((row) => readAgeSeconds(row["AGE-OF-DATA"] ?? "") === undefined);
    if (unsure) throw new Error(`the table doesn't say how old what is known of ${name} is`);
  }
}

/** Behind a cut the table shows what was, and never says that it is younger than the cut is long. */
function checkOldRows({
  name,
  before,
  rows,
  cutAt,
}: {
  name: string;
  before: Row[];
  rows: Row[];
  cutAt: number;
}): void {
  const pods = podsOf(name, rows);
  if (pods.map(({ NAME }) => NAME).join() !== before.map(({ NAME }) => NAME).join())
    throw new Error(`the table of ${name} changed while its cable was out`);
  // The command needs a moment to print what it was told, and rounds.
  const leastSeconds = (performance.now() - cutAt) / 1000 - printSeconds;
  for (const { "AGE-OF-DATA": age = "" } of pods) {
    const seconds = readAgeSeconds(age);
    if (seconds === undefined || seconds < leastSeconds)
      throw new Error(`${name} was cut off ${leastSeconds.toFixed(0)} s ago and its pods' age says '${age}'`);
  }
}

function podsOf(cluster: string, rows: readonly Row[]): Row[] {
  return rows.filter(({ CLUSTER }) => CLUSTER === cluster);
}

interface PodList {
  readonly items: readonly { readonly object: Pod }[];
  readonly clusters: readonly DataAge[];
}

interface Pod {
  readonly metadata: { readonly name: string; readonly uid: string; readonly resourceVersion: string };
}

interface DataAge {
  readonly cluster: string;
  readonly state: string;
  readonly ageMs?: number;
  readonly troubles?: readonly unknown[];
}

async function hasPods(stage: Stage): Promise<boolean> {
  const { clusters } = await askHub<PodList>(stage.hub, "/api/v1/objects?kind=pods&limit=1");
  return clusters.length === stage.clusters.length && clusters.every((age) => age.ageMs !== undefined && !age.troubles);
}

async function ageOf(stage: Stage, name: string): Promise<DataAge> {
  const { clusters } = await askHub<PodList>(stage.hub, `/api/v1/objects?kind=pods&limit=1&cluster=${name}`);
  const [age] = clusters;
  if (!age) throw new Error(`the hub doesn't say how old what it knows of ${name} is`);
  return age;
}

async function isFresh(stage: Stage, name: string): Promise<boolean> {
  const { state, ageMs = Number.POSITIVE_INFINITY } = await ageOf(stage, name);
  return state === "connected" && ageMs < 10_000;
}

/** Object for object. Nothing was changed behind the cut in a cluster of somebody's own. */
async function isRight({ name, made }: DemoCluster, stage: Stage): Promise<boolean> {
  if (!made) return isFresh(stage, name);
  const path = `/api/v1/objects?kind=pods&namespace=default&include=object&cluster=${name}`;
  const { items } = await askHub<PodList>(stage.hub, path);
  return describePods(items.map(({ object }) => object)) === describePods(await readPods(made));
}

async function readPods({ api }: NonNullable<DemoCluster["made"]>): Promise<readonly Pod[]> {
  return (await api.json<{ items: Pod[] }>({ path: "/api/v1/namespaces/default/pods" })).items;
}

function describePods(pods: readonly Pod[]): string {
  return pods
    .map(({ metadata: { name, uid, resourceVersion } }) => `${name} ${uid} ${resourceVersion}`)
    .sort()
    .join("\n");
}

const newcomer = "newcomer";
const printSeconds = 3;
const longestMendMs = 15_000;

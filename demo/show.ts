// The demo's main job, done as a person would: kubectl through the hub, a watch, a cable that is cut and healed, and
// what is in all clusters.
// Every claim it prints is checked; a claim that doesn't hold ends the demo with an error.

import { setTimeout as delay } from "node:timers/promises";
import { until } from "@fairlead/kernel/testing";
import { type Follower, follow, patienceMs, run } from "./commands.ts";
import { showLivePicture, showOldPicture } from "./live-picture.ts";
import type { Progress } from "./progress.ts";
import { showSecondUser } from "./second-user.ts";
import type { DemoCluster, Stage } from "./stage.ts";

export async function playShow(options: { stage: Stage; progress: Progress; signal: AbortSignal }): Promise<void> {
  const { stage, progress, signal } = options;
  for (const cluster of stage.clusters) await showNodes(cluster, options);
  const made = stage.clusters.filter((cluster) => cluster.made !== undefined);
  if (made.length > 0) await showWatches(made, options);
  const [own] = made;
  if (own) await showSecondUser({ stage, cluster: own.name, progress });
  const first = stage.clusters[0];
  if (first) await showCutCable(first, { stage, progress, signal });
  await showLivePicture(options);
  if (first) await showOldPicture(first, options);
}

interface Play {
  readonly stage: Stage;
  readonly progress: Progress;
  readonly signal: AbortSignal;
}

async function showNodes(cluster: DemoCluster, { stage, progress }: Play): Promise<void> {
  const command = `kubectl --context ${cluster.name} get nodes`;
  const { stdout } = await run(stage, command);
  progress.showCommand(command, stdout);
  if (!/\bReady\b/.test(stdout)) throw new Error(`cluster ${cluster.name} shows no node that is Ready`);
}

/** Follows a deployment of each cluster through the hub while it is scaled past the hub. */
async function showWatches(clusters: readonly DemoCluster[], { stage, progress, signal }: Play): Promise<void> {
  const watches = clusters.map(({ name }) =>
    follow(stage, `kubectl --context ${name} get deployment hello --watch --no-headers`, (line) =>
      progress.say(`  ${name} | ${line}`),
    ),
  );
  try {
    progress.say(`  $ kubectl --context NAME get deployment hello --watch     (both clusters, through the hub)`);
    await Promise.all(
      watches.map((watch) =>
        until(() => watch.lines > 0, "the watch shows the deployment", { timeoutMs: patienceMs, signal }),
      ),
    );
    progress.say("          ... scaled to 3, straight at each API server:");
    await Promise.all(
      clusters.map(({ made }) => made?.kubectl(["scale", "deployment", "hello", "--replicas=3"]) ?? Promise.resolve()),
    );
    const isScaled = (watch: Follower) => /\b3\/3\b/.test(watch.last);
    await Promise.all(
      watches.map((watch) => until(() => isScaled(watch), "the watch shows 3 of 3", { timeoutMs: patienceMs, signal })),
    );
    progress.say();
  } finally {
    for (const watch of watches) watch.stop();
  }
}

/** Shorter than the half minute for which hub and agent keep what was under way. */
const cutMs = 10_000;

async function showCutCable({ name, cable, made }: DemoCluster, { stage, progress, signal }: Play): Promise<void> {
  // Programs in a cluster of somebody's own aren't known here.
  const counting = made && (await startCounting(name, { stage, progress, signal }));
  progress.say(`  ... cutting the cable between the hub and the agent of ${name}, for ${cutMs / 1000} s`);
  cable.cut();
  await delay(cutMs - 2000, undefined, { signal });
  const command = `kubectl --context ${name} get --raw /version`;
  progress.say(`  $ ${command}          (typed while the cable is cut: it waits)`);
  const waiting = run(stage, command);
  await delay(2000, undefined, { signal });
  const healedAt = performance.now();
  cable.heal();
  progress.say("  ... cable plugged in again");
  const { stdout } = await waiting;
  const version = (JSON.parse(stdout) as { gitVersion: string }).gitVersion;
  progress.say(`  ${version}, answered ${((performance.now() - healedAt) / 1000).toFixed(1)} s after that\n`);
  if (counting) await showCounting(counting, { stage, progress, signal });
  await until(async () => (await readState(stage, name)) === "connected", "the agent is back", {
    timeoutMs: patienceMs,
    signal,
  });
  progress.showCommand("fairlead cluster list", (await run(stage, "fairlead cluster list")).stdout);
}

async function showCounting(counting: Follower, { progress, signal }: Play): Promise<void> {
  const seen = counting.lines;
  await until(() => counting.lines > seen + 2, "the exec goes on", { timeoutMs: patienceMs, signal });
  counting.stop();
  if (counting.last !== String(counting.lines)) throw new Error("the exec lost something while the cable was cut");
  progress.say(
    `  The exec went on through the cut: it has counted to ${counting.last}, and every number has arrived.\n`,
  );
}

/** An exec that prints a number twice a second; that of its last line is the count of its lines. */
async function startCounting(name: string, { stage, progress, signal }: Play): Promise<Follower> {
  const command = `kubectl --context ${name} exec -i deploy/hello -- sh -c 'i=0; while echo $((i+=1)); do sleep 0.5; done'`;
  progress.say(`  $ ${command}`);
  const counting = follow(stage, command, () => {});
  await until(() => counting.lines > 2, "the exec counts", { timeoutMs: patienceMs, signal });
  return counting;
}

async function readState(stage: Stage, name: string): Promise<string> {
  const { stdout } = await stage.hub.cli(["cluster", "get", name, "--json"]);
  return (JSON.parse(stdout) as { state: string }).state;
}

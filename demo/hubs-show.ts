// Several hubs behind a balancer, and one of them is killed: what goes on as if nothing had happened, what comes back,
// and what ends. Each claim is checked, those of endings too.
import { until } from "@fairlead/kernel/testing";
import { findLogLines, type TestHub, type TestHubs } from "@fairlead/testkit";
import { type Follower, follow, patienceMs, run } from "./commands.ts";
import type { Progress } from "./progress.ts";
import type { DemoCluster, Stage } from "./stage.ts";

interface Play {
  readonly stage: Stage;
  readonly several: TestHubs;
  readonly progress: Progress;
  readonly signal: AbortSignal;
}

/** East's link is at the first hub, west's at the second, none at the third. */
interface Cast {
  readonly hubs: readonly [TestHub, TestHub, TestHub];
  readonly east: DemoCluster;
  readonly west: DemoCluster;
}

export async function playHubsShow(play: Play): Promise<void> {
  const cast = await introduce(play);
  const { stage, several, progress, signal } = play;
  const [, second, third] = cast.hubs;
  using running = new DisposableStack();
  const keep = (follower: Follower) => running.adopt(follower, ({ stop }) => stop());

  const counting = keep(await startCounting("east", third, play));
  const doomed = keep(await startCounting("west", third, play));
  const watches: Follower[] = [];
  for (const [index, hub] of cast.hubs.entries()) watches.push(keep(await startWatch(hub, index + 1, play)));
  const picture = await startPicture(second, play);
  keep(picture.follower);
  several.people.use(several.hubs.map(({ port }) => port));

  progress.say("\n  ... hub 2 is killed (kill -9). It had the link of west's agent, one watch, and the live picture\n");
  await second.stop("KILL");
  const killedAt = performance.now();
  const since = () => `${((performance.now() - killedAt) / 1000).toFixed(1)} s after the kill`;

  await showCounting(counting, play);
  await showWatches(watches, cast, play);
  await untilSoon(() => doomed.exitCode !== undefined, "the exec in west has ended", signal);
  if (doomed.exitCode === 0) throw new Error("the exec in west ended as if all were well");
  progress.say(
    `  Ended: the exec in west, whose link was at hub 2. kubectl said so and ended with ${doomed.exitCode}.`,
  );
  await untilSoon(() => answers(stage, "west"), "west answers again", signal);
  progress.say(`  West's agent has come to another hub, and kubectl reaches west again: ${since()}.`);
  progress.showCommand("fairlead cluster list", (await run(stage, "fairlead cluster list")).stdout);
  await showPicture(picture, play);
  await showReturn(cast, play);
}

async function introduce({ stage, several, progress, signal }: Play): Promise<Cast> {
  const [first, second, third] = several.hubs;
  const [east, west] = stage.clusters;
  if (!first || !second || !third || !east || !west) throw new Error("this takes three hubs and two clusters");
  for (const [hub, { name }] of [
    [first, east],
    [second, west],
  ] as const) {
    const hasLink = async () =>
      (await findLogLines(hub.logFile, "agent linked")).some(({ cluster }) => cluster === name);
    await untilSoon(hasLink, `${name}'s link is at its hub`, signal);
  }
  progress.say("  The link of east's agent is at hub 1, that of west's at hub 2, and hub 3 has none.");
  for (const { name } of [east, west]) {
    const command = `kubectl --context ${name} get nodes`;
    for (const hub of several.hubs) {
      several.people.use([hub.port]);
      const { stdout } = await run(stage, command);
      if (!/\bReady\b/.test(stdout)) throw new Error(`cluster ${name} shows no node that is Ready`);
      if (hub === third) progress.showCommand(`${command}          (the same through each hub)`, stdout);
    }
  }
  return { hubs: [first, second, third], east, west };
}

/** An exec that prints a number twice a second; that of its last line is the count of its lines. */
async function startCounting(
  name: string,
  hub: TestHub,
  { stage, several, progress, signal }: Play,
): Promise<Follower> {
  several.people.use([hub.port]);
  const command = `kubectl --context ${name} exec -i deploy/hello -- sh -c 'i=0; while echo $((i+=1)); do sleep 0.5; done'`;
  progress.say(`  $ ${command}          (comes to hub 3)`);
  const counting = follow(stage, command, () => {});
  await untilSoon(() => counting.lines > 2, "the exec counts", signal);
  return counting;
}

async function startWatch(hub: TestHub, number: number, { stage, several, progress, signal }: Play): Promise<Follower> {
  several.people.use([hub.port]);
  const command = "kubectl --context east get deployment hello --watch --no-headers";
  progress.say(`  $ ${command}          (comes to hub ${number})`);
  const watch = follow(stage, command, (line) => progress.say(`  watch at hub ${number} | ${line}`));
  await untilSoon(() => watch.lines > 0, "the watch shows the deployment", signal);
  return watch;
}

async function showCounting(counting: Follower, { progress, signal }: Play): Promise<void> {
  const seen = counting.lines;
  await untilSoon(() => counting.lines > seen + 4, "the exec in east goes on", signal);
  counting.stop();
  if (counting.last !== String(counting.lines))
    throw new Error("the exec lost something when the other hub was killed");
  progress.say(`  Goes on: the exec in east. It has counted to ${counting.last}, and every number has arrived.`);
}

async function showWatches(watches: readonly Follower[], { east }: Cast, { progress, signal }: Play): Promise<void> {
  const [first, second, third] = watches;
  if (!first || !second || !third) throw new Error("there is a watch at each hub");
  progress.say("  ... east's deployment is scaled to 3, straight at its API server:");
  await east.made?.kubectl(["scale", "deployment", "hello", "--replicas=3"]);
  for (const watch of [first, third]) {
    await untilSoon(() => /\b3\/3\b/.test(watch.last), "the watches show 3 of 3", signal);
    watch.stop();
  }
  progress.say("  Go on: the watches that came to hubs 1 and 3.");
  await untilSoon(() => second.exitCode !== undefined, "the watch at the killed hub has ended", signal);
  progress.say(
    "  Ended: the watch that came to hub 2 itself. Nothing takes over a stream through a hub that is killed.",
  );
}

interface Picture {
  readonly follower: Follower;
  /** Pods of west that it has shown running. */
  readonly running: ReadonlySet<string>;
}

async function startPicture(hub: TestHub, { stage, several, progress, signal }: Play): Promise<Picture> {
  several.people.use([hub.port]);
  const command = "fairlead get pods --all-clusters -w";
  progress.say(`  $ ${command}          (comes to hub 2)`);
  const running = new Set<string>();
  const follower = follow(stage, command, (line) => {
    progress.say(`  picture | ${line}`);
    const [, pod] = /^west +default +(hello-\S+) +1\/1 +Running\b/.exec(line) ?? [];
    if (pod !== undefined) running.add(pod);
  });
  await untilSoon(() => running.size >= 2, "the live picture shows the pods of west", signal);
  return { follower, running };
}

async function showPicture({ running, follower }: Picture, { stage, progress, signal }: Play): Promise<void> {
  await untilSoon(() => follower.exitCode !== undefined || follower.lines > 3, "the live picture goes on", signal);
  if (follower.exitCode !== undefined) throw new Error(`the live picture ended with ${follower.exitCode}`);
  progress.say("  Goes on by itself: the live picture, which asks at another hub now.");
  const command = "kubectl --context west scale deployment hello --replicas=4";
  progress.say(`  $ ${command}`);
  await run(stage, command);
  await untilSoon(() => running.size >= 4, "the live picture shows 4 pods of west", signal);
}

async function showReturn({ hubs: [, second] }: Cast, { stage, several, progress }: Play): Promise<void> {
  await progress.step("Starting hub 2 again", () => second.start());
  several.people.use([second.port]);
  for (const name of ["east", "west"]) await run(stage, `kubectl --context ${name} get nodes`);
  several.people.use(several.hubs.map(({ port }) => port));
  progress.say("  Hub 2 is back, and reaches both clusters through the hubs that have their links.");
}

async function answers(stage: Stage, name: string): Promise<boolean> {
  return run(stage, `kubectl --context ${name} get --raw /version`).then(
    () => true,
    () => false,
  );
}

function untilSoon(check: () => boolean | Promise<boolean>, what: string, signal: AbortSignal): Promise<void> {
  return until(check, what, { timeoutMs: patienceMs, signal });
}

// Argo CD over two clusters. In east the hub says what is deployed, in west the cluster does. People look at a third, with
// Argo CD's own CLI: its list, a sync, trees and logs. Then both cables are pulled, and both sides of both clusters are
// edited. Each claim is checked.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { until } from "@fairlead/kernel/testing";
import { applicationOf, type TestCluster } from "@fairlead/testkit";
import { stringify } from "yaml";
import { patienceMs, run } from "./commands.ts";
import type { Progress } from "./progress.ts";
import { type DemoCluster, demoFolder, type Stage } from "./stage.ts";

interface Play {
  readonly stage: Stage;
  readonly progress: Progress;
  readonly signal: AbortSignal;
}

export async function playArgocdShow(play: Play): Promise<void> {
  const [east, west] = play.stage.clusters;
  if (!east?.made || !west?.made || !play.stage.argo) throw new Error("this takes Argo CD and two clusters");
  play.progress.say("\n  The hub has told Argo CD of both clusters. Argo CD reaches them through the hub.");
  await show("argocd cluster list", (text) => [east, west].every(({ url }) => text.includes(url)), play);
  await showManaged(east.made, play);
  await showAutonomous(west.made, play);
  await showFairlead(play);
  await showCut({ east: { ...east, made: east.made }, west: { ...west, made: west.made } }, play);
}

/** Made, synced and looked at by Argo CD's CLI, which asks the Argo CD beside the hub and nobody else. */
async function showManaged(east: TestCluster, play: Play): Promise<void> {
  const url = play.stage.argo?.repository.url;
  play.progress.say("\n  East is managed: its applications are made on the hub, in the namespace east.");
  await show(
    `argocd app create east/shop --repo ${url} --path shop --dest-name east --dest-namespace shop --sync-option CreateNamespace=true`,
    /created/,
    play,
  );
  await show("argocd app sync east/shop --timeout 90", /Phase: +Succeeded/, play);
  await untilPods(east, 2, play);
  await show("argocd app list", rowPattern("east/shop", ["Synced", "Healthy"]), play);
  await showTree("east", play);
  await showLogs(east, play);
}

async function showAutonomous(west: TestCluster, play: Play): Promise<void> {
  const { stage, progress } = play;
  progress.say("\n  West is autonomous: its applications are made in it, and seen on the hub.");
  const file = join(demoFolder, "west-shop.yaml");
  const repository = { url: stage.argo?.repository.url ?? "" };
  const application = applicationOf({ name: "shop", repository, path: "shop", target: "shop", isAutomated: true });
  await writeFile(file, stringify(application));
  await show("kubectl --context west apply -f .demo/west-shop.yaml", /created/, play);
  await untilPods(west, 2, play);
  await show("argocd app list", rowPattern("west/shop", ["Synced", "Healthy"]), play);
  await showTree("west", play);
  await showLogs(west, play);
}

/** Redis of the cluster has what Argo CD on the hub shows here. */
async function showTree(cluster: string, play: Play): Promise<void> {
  const isWhole = (text: string) => ["Deployment/shop", "ReplicaSet/", "Pod/"].every((part) => text.includes(part));
  await show(`argocd app get ${cluster}/shop --output tree`, isWhole, play);
  await show(`argocd app resources ${cluster}/shop`, /Deployment/, play);
}

/** Programs of pods don't run here, so their lines are written for them; the rest of the way is real. */
async function showLogs(cluster: TestCluster, play: Play): Promise<void> {
  const pods = await podsOf(cluster);
  for (const pod of pods) {
    const text = `${new Date().toISOString()} ${pod} is open\n`;
    await cluster.writeLog({ namespace: "shop", pod, container: "shop", text });
  }
  const areAllThere = (text: string) => pods.every((pod) => text.includes(`${pod} is open`));
  await show(`argocd app logs ${cluster.name}/shop --kind Deployment`, areAllThere, play);
}

async function showFairlead(play: Play): Promise<void> {
  play.progress.say("\n  The same by the hub's own commands, which need no Argo CD on the hub:");
  await show(
    "fairlead argo app list",
    (text) =>
      rowPattern("shop", ["managed", "Synced"]).test(text) && rowPattern("shop", ["autonomous", "Synced"]).test(text),
    play,
  );
  await show("fairlead argo app logs west/shop --tail 1", /is open/, play);
  await show("fairlead gitops status", /east[\s\S]*west/, play);
}

interface Cast {
  readonly east: DemoCluster & { readonly made: TestCluster };
  readonly west: DemoCluster & { readonly made: TestCluster };
}

async function showCut({ east, west }: Cast, play: Play): Promise<void> {
  const { progress } = play;
  progress.say("\n  ... both cables are pulled\n");
  for (const { cable } of [east, west]) cable.cut();
  progress.say("  On the hub, while both clusters are away:");
  await show("argocd app set east/shop --path shop-3 --sync-policy automated --validate=false", () => true, play);
  await show("argocd app set west/shop --path elsewhere --validate=false", () => true, play);
  progress.say("  Straight at the clusters' API servers, behind the pulled cables:");
  await edit(east.made, { source: { path: "elsewhere" } }, play);
  await edit(west.made, { source: { path: "shop-3" } }, play);
  await untilPods(west.made, 3, play);
  progress.say("  West's Argo CD has done what was edited there, without the hub.");
  await untilPath(east.made, "shop", play);
  progress.say("  East's agent has undone what was edited there, without the hub.");
  const pathOf = async (cluster: string) => (await readShown(cluster, play)).spec.source.path;
  if ((await pathOf("east")) !== "shop-3") throw new Error("the hub doesn't show what was edited on it");
  if ((await pathOf("west")) === "shop-3") throw new Error("the hub knows what was edited behind a pulled cable");

  for (const { cable } of [east, west]) cable.heal();
  const healedAt = performance.now();
  const since = () => `${((performance.now() - healedAt) / 1000).toFixed(1)} s after that`;
  progress.say("\n  ... cables plugged in again\n");
  await untilPods(east.made, 3, play);
  await untilPath(east.made, "shop-3", play);
  progress.say(`  East has what was edited on the hub, and its Argo CD has deployed it: ${since()}.`);
  await untilSoon(async () => (await pathOf("west")) === "shop-3", "the hub shows what west has", play);
  progress.say(`  The hub shows what was edited in west, and no longer what was edited on the hub: ${since()}.`);
  await show(
    "argocd app list",
    (text) =>
      rowPattern("east/shop", ["Synced", "Healthy", "shop-3"]).test(text) &&
      rowPattern("west/shop", ["Synced", "Healthy", "shop-3"]).test(text),
    play,
  );
  for (const cluster of [west.made, east.made]) await untilPath(cluster, "shop-3", play);
}

/** Asks until the answer is as it should be, and shows that one. */
async function show(command: string, isRight: RegExp | ((text: string) => boolean), play: Play): Promise<void> {
  const { stage, progress } = play;
  const isAsWanted = isRight instanceof RegExp ? (text: string) => isRight.test(text) : isRight;
  const asked = { stdout: "" };
  const ask = async () => {
    asked.stdout = (await run(stage, command, { timeoutMs: 120_000 })).stdout;
    return isAsWanted(asked.stdout);
  };
  if (changes.test(command)) {
    if (!(await ask())) throw new Error(`${command} printed: ${asked.stdout}`);
  } else await untilSoon(ask, command, play);
  progress.showCommand(command, asked.stdout);
}

/** Not to be typed twice. */
const changes = / (create|sync|set|apply) /;

/** As a person in the cluster would. */
async function edit(cluster: TestCluster, spec: object, { progress }: Play): Promise<void> {
  const patch = JSON.stringify({ spec });
  const args = ["patch", "application", "shop", "--namespace", "argocd", "--type", "merge", "--patch"];
  const { stdout } = await cluster.kubectl([...args, patch]);
  progress.showCommand(`kubectl ${args.join(" ")} '${patch}'          (in ${cluster.name})`, stdout);
}

function untilPods(cluster: TestCluster, count: number, play: Play): Promise<void> {
  return untilSoon(async () => (await podsOf(cluster)).length === count, `${cluster.name} runs ${count} pods`, play);
}

/** Waits until the application in the cluster has this path. */
function untilPath(cluster: TestCluster, path: string, play: Play): Promise<void> {
  const place = "/apis/argoproj.io/v1alpha1/namespaces/argocd/applications/shop";
  const asked = async () => (await cluster.api.json<Shown>({ path: place })).spec.source.path;
  return untilSoon(async () => (await asked()) === path, `the path in ${cluster.name} is ${path}`, play);
}

async function readShown(cluster: string, { stage }: Play): Promise<Shown> {
  return JSON.parse((await run(stage, `argocd app get ${cluster}/shop --output json`)).stdout) as Shown;
}

interface Shown {
  readonly spec: { readonly source: { readonly path: string } };
}

/** Those that run. */
async function podsOf({ api }: TestCluster): Promise<string[]> {
  const path = `/api/v1/namespaces/shop/pods?${new URLSearchParams({ fieldSelector: "status.phase=Running" })}`;
  const { items } = await api.json<{ items: readonly { metadata: { name: string } }[] }>({ path });
  return items.map(({ metadata }) => metadata.name);
}

/** A line of a table that has the words in this order. */
function rowPattern(name: string, words: readonly string[]): RegExp {
  return new RegExp(`\\b${name}\\b.*${words.map((word) => `\\b${word}\\b`).join(".*")}`);
}

function untilSoon(check: () => Promise<boolean>, what: string, { signal }: Play): Promise<void> {
  return until(check, what, { timeoutMs: patienceMs, signal });
}

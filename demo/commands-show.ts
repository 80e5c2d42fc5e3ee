// Commands, as a person gives them: a release in all clusters, whose agent is killed while it waits; a configuration of
// OpenTofu from git, planned, approved and applied; and a stack in which a release uses what that gave out. Each claim is
// checked.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { CommandDetail, CommandList, Stack } from "@fairlead/contract";
import { until } from "@fairlead/kernel/testing";
import { openTestRepository, startGitHttp } from "@fairlead/testkit";
import { follow, run } from "./commands.ts";
import { askHub } from "./hub-api.ts";
import type { Progress } from "./progress.ts";
import { type DemoCluster, demoFolder, type Stage } from "./stage.ts";

interface Play {
  readonly stage: Stage;
  readonly progress: Progress;
  readonly signal: AbortSignal;
}

export async function playCommandsShow(play: Play): Promise<void> {
  const [east, west] = play.stage.clusters;
  if (!east || !west) throw new Error("this takes two clusters");
  await showKilledAgent([east, west], play);
  await showApproval(play);
  await showStack(east, play);
}

async function showKilledAgent(clusters: readonly [DemoCluster, DemoCluster], play: Play): Promise<void> {
  const { stage, progress } = play;
  const file = await write("web.yaml", { release: "web", namespace: "default", chart, wait: { timeoutSeconds: 240 } });
  const command = `fairlead run helm -f ${file} --all-clusters --follow`;
  progress.say(`  $ ${command}\n`);
  const following = follow(stage, command, (line) => progress.say(`  | ${line}`));
  using _following = { [Symbol.dispose]: () => following.stop() };
  const [, west] = clusters;
  await soon(() => isThere(west, "deployment/web"), "the release has a deployment in west", play);
  progress.say("\n  ... its pods find no node that they may go to, so helm waits. West's agent is killed (kill -9)\n");
  await west.agent.stop("KILL");
  await west.agent.start();
  for (const { made } of clusters) await made?.kubectl(["label", "nodes", "--all", "demo=yes"]);
  progress.say(
    "  ... now they may go anywhere. West's agent is there again; it gets the command when the old lease is over\n",
  );
  await soon(() => following.exitCode !== undefined, "the runs have ended", play);
  if (following.exitCode !== 0) throw new Error(`the runs ended with ${following.exitCode}`);
  const { items } = await askHub<CommandList>(stage.hub, "/api/v1/commands?kind=helm");
  const runs = await Promise.all(items.map(({ id }) => readRun(stage, id)));
  for (const { cluster, state, claims, history } of runs) {
    const ends = history.filter(({ to }) => to === "succeeded").length;
    if (state !== "succeeded" || ends !== 1) throw new Error(`${cluster}'s run has ${ends} outcomes, and is ${state}`);
    if (cluster === "west" && claims < 2) throw new Error("nobody took over the run of the killed agent");
  }
  const id = runs.find(({ cluster }) => cluster === "west")?.id ?? "";
  await showOutput(`fairlead run get ${id}`, play);
  const { stdout = "" } =
    (await west.made?.kubectl(["get", "secrets", "-l", "owner=helm,name=web", "-o", statusOfReleases])) ?? {};
  const statuses = stdout.trim().split(" ");
  if (statuses.filter((status) => status === "deployed").length !== 1 || statuses.some((each) => /pending/.test(each)))
    throw new Error(`the revisions of west's release are ${stdout}`);
  progress.say("  The next agent repaired the release that the killed one had left pending, and the run ended once.");
}

async function showApproval(play: Play): Promise<void> {
  const { stage, progress } = play;
  const root = await mkdtemp(join(demoFolder, "git-"));
  await using undo = new AsyncDisposableStack();
  undo.defer(() => rm(root, { recursive: true, force: true }));
  const http = undo.use(await startGitHttp({ root }));
  const repository = await openTestRepository(root, "database.git");
  const commit = await repository.commit({ files: { "main.tf": configuration } });
  const file = await write("database.yaml", {
    name: "database",
    namespace: "default",
    outputs: { secret: "database" },
    source: { git: { url: http.url("database.git"), commit } },
  });
  const command = `fairlead run tofu -f ${file} --cluster east --approval --own-approval`;
  const { stdout } = await run(stage, `${command} --json`);
  const [asked] = (JSON.parse(stdout) as { items: CommandDetail[] }).items;
  const id = asked?.id ?? "";
  progress.say(`  $ ${command}\n`);
  await soon(async () => (await readRun(stage, id)).state === "awaiting-approval", "the plan is there", play);
  await showOutput(`fairlead run get ${id}`, play);
  const { approval } = await readRun(stage, id);
  await showOutput(`fairlead run approve ${id} --digest ${approval?.digest} -m 'as discussed'`, play);
  await soon(async () => (await readRun(stage, id)).finishedAt !== undefined, "the plan is applied", play);
  const { state, trouble } = await readRun(stage, id);
  if (state !== "succeeded") throw new Error(`the configuration ended as ${state}: ${trouble?.message}`);
  await showOutput(`fairlead run logs ${id}`, play);
  progress.say("  What was approved was applied. Its outputs are in a Secret of east; the hub knows their names.");
}

async function showStack(east: DemoCluster, play: Play): Promise<void> {
  const { stage, progress } = play;
  const database = {
    name: "database",
    namespace: "default",
    outputs: { secret: "database" },
    source: { files: { "main.tf": configuration } },
  };
  const values = { database: "${resources.database.outputs.password}" };
  const file = await write("shop.yaml", {
    name: "shop",
    resources: {
      database: { cluster: "east", kind: "tofu", spec: database },
      shop: {
        cluster: "east",
        kind: "helm",
        spec: { release: "shop", namespace: "default", chart: shopChart, values },
      },
    },
  });
  await showOutput(`fairlead stack apply -f ${file}`, play);
  const read = async (secret: string, key: string): Promise<string> => {
    const path = `jsonpath={.data.${key}}`;
    const { stdout = "" } = (await east.made?.kubectl(["get", "secret", secret, "-o", path])) ?? {};
    return Buffer.from(stdout, "base64").toString();
  };
  const password = await read("database", "password");
  if (password.length < 20 || (await read("shop", "password")) !== password)
    throw new Error("the release doesn't have the password that the configuration gave out");
  const stack = await askHub<Stack>(stage.hub, "/api/v1/stacks/shop");
  const { items } = await askHub<CommandList>(stage.hub, "/api/v1/commands");
  const runs = await Promise.all(items.map(({ id }) => readRun(stage, id)));
  if (JSON.stringify([stack, runs]).includes(password)) throw new Error("the hub has the password");
  progress.say("  The release has the password that the configuration gave out, and nothing at the hub has it.");
  await showOutput("fairlead stack destroy shop --yes", play);
  if (await isThere(east, "secret/shop")) throw new Error("the stack is destroyed, and its release is still there");
}

async function showOutput(command: string, { stage, progress }: Play): Promise<void> {
  progress.showCommand(command, (await run(stage, command, { timeoutMs: patienceMs })).stdout);
}

async function isThere({ made }: DemoCluster, what: string): Promise<boolean> {
  const found = await made?.kubectl(["get", what, "--ignore-not-found", "-o", "name"]);
  return found !== undefined && found.stdout.trim() !== "";
}

function readRun({ hub }: Stage, id: string): Promise<CommandDetail> {
  return askHub<CommandDetail>(hub, `/api/v1/commands/${id}`);
}

async function soon(check: () => boolean | Promise<boolean>, what: string, { signal }: Play): Promise<void> {
  await until(check, what, { timeoutMs: patienceMs, signal });
}

/** As JSON, which is YAML, too. */
async function write(name: string, content: object): Promise<string> {
  const file = join(demoFolder, name);
  await writeFile(file, JSON.stringify(content, undefined, 2));
  return file;
}

/** A killed agent's lease takes half a minute to end. */
const patienceMs = 240_000;

const statusOfReleases = "jsonpath={.items[*].metadata.labels.status}";

const chart = {
  files: {
    "Chart.yaml": "apiVersion: v2\nname: web\nversion: 1.0.0\n",
    "templates/web.yaml": JSON.stringify({
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "web" },
      spec: {
        replicas: 2,
        selector: { matchLabels: { app: "web" } },
        template: {
          metadata: { labels: { app: "web" } },
          spec: { nodeSelector: { demo: "yes" }, containers: [{ name: "web", image: "demo" }] },
        },
      },
    }),
  },
};

const shopChart = {
  files: {
    "Chart.yaml": "apiVersion: v2\nname: shop\nversion: 1.0.0\n",
    "templates/shop.yaml":
      "apiVersion: v1\nkind: Secret\nmetadata: {name: shop}\nstringData: {password: {{ .Values.database | quote }}}\n",
  },
};

/** The password is made where the configuration is applied. */
const configuration = `
resource "terraform_data" "password" {
  input = sha256(uuid())
  lifecycle {
    ignore_changes = [input]
  }
}
output "password" {
  value     = terraform_data.password.output
  sensitive = true
}
output "user" {
  value = "shop"
}
`;

// Whether clusters are fit to run workloads: east is, west has five mistakes. The doctor finds them, prints what puts them
// right, and a shell runs that. Then Argo CD installs an addon. Each claim is checked. The addons are stand-ins, with the
// names, images and settings of real ones; Argo CD in east is real.
import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { catalogue } from "@fairlead/doctor";
import { until } from "@fairlead/kernel/testing";
import {
  applyStandIns,
  startArgoCluster,
  startChartRepository,
  type TestCluster,
  uncommentFixes,
} from "@fairlead/testkit";
import { patienceMs, run } from "./commands.ts";
import type { Progress } from "./progress.ts";
import { demoFolder, type Stage } from "./stage.ts";

interface Play {
  readonly stage: Stage;
  readonly progress: Progress;
  readonly signal: AbortSignal;
}

export async function playDoctorShow(play: Play): Promise<void> {
  const [east, west] = play.stage.clusters.map(({ made }) => made);
  if (!east || !west) throw new Error("this takes two clusters");
  await using undo = new AsyncDisposableStack();
  await play.progress.step("Putting addons into both clusters, and Argo CD into east", async () => {
    await Promise.all([east, west].map(prepare));
    undo.use(await startArgoCluster(east));
    await setNamespaces(east, "*");
  });
  await showBothFit(play);
  await showMistakes(west, play);
  await showInstallation(east, play);
}

async function prepare({ api }: TestCluster): Promise<void> {
  await applyStandIns(api, addons);
  // No provisioner runs here, so Prometheus is given a volume.
  const path = "/api/v1/persistentvolumes/prometheus?fieldManager=demo";
  await api.json({ method: "PATCH", path, body: volume, contentType: "application/apply-patch+yaml" });
}

async function showBothFit(play: Play): Promise<void> {
  const isFit = (code: number, stdout: string) => code === 0 && !/degraded/.test(stdout);
  await showOnce("fairlead doctor --all-clusters", isFit, "both clusters are fit", play);
}

async function showMistakes(west: TestCluster, play: Play): Promise<void> {
  const { progress } = play;
  progress.say("\n  ... five mistakes are made in west: settings of Argo CD, of its project, of kube-state-metrics,");
  progress.say("  of Alertmanager, and no storage class is the default one any more\n");
  await plantMistakes(west);
  const isUnfit = (code: number, stdout: string) => code === 1 && mistakes.every((id) => stdout.includes(id));
  await showOnce("fairlead doctor --all-clusters", isUnfit, "the hub knows all five mistakes", play);
  await showOnce(
    "fairlead feature list",
    (_code, stdout) => /blocked/.test(rowOf(stdout, "deploy")),
    "west can't deploy",
    play,
  );

  const command = "fairlead doctor --kube-context west --fix";
  const script = await ask(command, play);
  progress.showCommand(`${command} | sh`, script.stdout);
  progress.say(
    "\n  ... fixes that open something are comments. Here they are wanted: they are uncommented, and take back what",
  );
  progress.say("  others set (--force-conflicts)\n");
  const wanted = uncommentFixes(script.stdout).replaceAll(" --server-side ", " --server-side --force-conflicts ");
  await applyScript(wanted, west, play);
  await showOnce("fairlead doctor --all-clusters", (code) => code === 0, "west is fit again", play);
  await showOnce(
    "fairlead feature list",
    (_code, stdout) => !/blocked/.test(rowOf(stdout, "deploy")),
    "west can deploy",
    play,
  );
  progress.say("  Each of the five was found by the agent, and put right by what the doctor printed.");
}

async function showInstallation(east: TestCluster, play: Play): Promise<void> {
  const install = catalogue.find(({ id }) => id === "reloader")?.install;
  if (!install) throw new Error("Reloader has no chart in the catalogue");
  const folder = await mkdtemp(join(demoFolder, "charts-"));
  await using undo = new AsyncDisposableStack();
  undo.defer(() => rm(folder, { recursive: true, force: true }));
  const chart = { name: install.chart, version: install.version };
  const files = { "templates/deployment.yaml": deployment };
  const charts = undo.use(await startChartRepository({ folder, chart, files }));
  const options = `--cluster east --mirror ${install.repository}=${charts.url}`;
  await showOnce(
    `fairlead addon plan reloader ${options}`,
    (_code, stdout) => /argocd/.test(stdout),
    "Argo CD will do it",
    play,
  );
  await showOnce(`fairlead addon install reloader ${options} --yes`, (code) => code === 0, "the addon is there", play);
  const { stdout } = await east.kubectl([
    "get",
    "application",
    "reloader",
    "-n",
    "argocd",
    "-o",
    "jsonpath={.status.health.status}",
  ]);
  if (stdout !== "Healthy") throw new Error(`Argo CD says of the addon that it is ${stdout}`);
  const isHealthy = (_code: number, text: string) => /^east +healthy .*\breloader\b/m.test(text);
  await showOnce("fairlead doctor --cluster east --all", isHealthy, "the doctor sees the addon", play);
}

/** Asks until the answer is as it should be, and shows that one. */
async function showOnce(
  command: string,
  isRight: (code: number, stdout: string) => boolean,
  what: string,
  play: Play,
): Promise<void> {
  let last = { code: 0, stdout: "" };
  const asked = async () => {
    last = await ask(command, play);
    return isRight(last.code, last.stdout);
  };
  const isInstallation = command.includes(" install ");
  if (!isInstallation) await until(asked, what, { timeoutMs: patienceMs, signal: play.signal });
  else if (!(await asked())) throw new Error(`${command} ended with ${last.code}: ${last.stdout}`);
  play.progress.showCommand(command, last.stdout);
}

/** The code is in the answer, since 1 and 2 are answers of the doctor. */
async function ask(command: string, { stage }: Play): Promise<{ code: number; stdout: string }> {
  const { stdout } = await run(stage, `${command}; echo "exit $?"`, { timeoutMs: 240_000 });
  const [, text = "", code = "1"] = /^([\s\S]*)exit (\d+)\n$/.exec(stdout) ?? [];
  return { stdout: text, code: Number(code) };
}

/** As a person would, with kubectl's current context on west. */
async function applyScript(script: string, west: TestCluster, { stage }: Play): Promise<void> {
  const environment = { ...stage.environment, KUBECONFIG: west.adminKubeconfig, SCRIPT: script };
  await run({ environment }, `printf '%s' "$SCRIPT" | sh`, { timeoutMs: patienceMs });
}

async function plantMistakes(west: TestCluster): Promise<void> {
  await setNamespaces(west, "argocd");
  const patch = (args: readonly string[], body: object) =>
    west.kubectl(["patch", ...args, "--type", "merge", "--patch", JSON.stringify(body)]);
  await patch(["appproject", "default", "-n", "argocd"], { spec: { sourceRepos: ["https://git.example.com/*"] } });
  await patch(["storageclass", "longhorn"], { metadata: { annotations: { [defaultClass]: null } } });
  const [alertmanager] = await namesOf(west, "alertmanagers");
  await patch(["alertmanager", ...(alertmanager ?? [])], {
    spec: { alertmanagerConfigMatcherStrategy: { type: "OnNamespace" } },
  });
  const [metrics] = await namesOf(west, "deployments", "app.kubernetes.io/name=kube-state-metrics");
  const args = { op: "replace", path: "/spec/template/spec/containers/0/args", value: ["--port=8080"] };
  await west.kubectl(["patch", "deployment", ...(metrics ?? []), "--type", "json", "--patch", JSON.stringify([args])]);
}

/** Each as arguments for kubectl. */
async function namesOf({ kubectl }: TestCluster, kind: string, selector?: string): Promise<string[][]> {
  const path = `jsonpath={range .items[*]}{.metadata.name} {.metadata.namespace}{"\\n"}{end}`;
  const { stdout } = await kubectl(["get", kind, "-A", ...(selector ? ["-l", selector] : []), "-o", path]);
  return stdout
    .trim()
    .split("\n")
    .map((line) => line.split(" "))
    .map(([name = "", namespace = ""]) => [name, "-n", namespace]);
}

async function setNamespaces({ kubectl }: TestCluster, value: string): Promise<void> {
  const patch = JSON.stringify({ data: { "application.namespaces": value } });
  await kubectl(["patch", "configmap", "argocd-cmd-params-cm", "-n", "argocd", "--type", "merge", "--patch", patch]);
}

function rowOf(table: string, name: string): string {
  return table.split("\n").find((line) => line.startsWith(`${name} `)) ?? "";
}

const addons = ["argocd/upstream", "prometheus/upstream", "kube-state-metrics/upstream", "storage/generic"];
const volume = {
  apiVersion: "v1",
  kind: "PersistentVolume",
  metadata: { name: "prometheus" },
  spec: {
    accessModes: ["ReadWriteOnce"],
    capacity: { storage: "100Gi" },
    hostPath: { path: "/nowhere" },
    storageClassName: "longhorn",
    claimRef: { namespace: "monitoring", name: "prometheus-main-db-prometheus-main-0" },
  },
};
const defaultClass = "storageclass.kubernetes.io/is-default-class";
const mistakes = [
  "argocd.application-namespaces",
  "argocd.project",
  "kube-state-metrics.pod-labels",
  "prometheus.alertmanager-matcher-strategy",
  "storage.default-class",
];

const deployment = `apiVersion: apps/v1
kind: Deployment
metadata: {name: reloader}
spec:
  selector: {matchLabels: {app: reloader}}
  template:
    metadata: {labels: {app: reloader}}
    spec:
      containers: [{name: reloader, image: mirror.invalid/stakater/reloader:v1.2.0}]
`;

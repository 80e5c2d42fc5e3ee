// A namespace of its own on a real API server, and the release `web` in it, by the real helm.
import { chmod, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { FairleadError } from "@fairlead/kernel";
import { createKubeClient, type KubeClient, type KubeObject, loadKubeconfig } from "@fairlead/kube";
import { type ClusterAccess, createNamespace, ensureTools, sharedCluster } from "@fairlead/testkit";
import { executeErrors } from "../errors.ts";
import { openTestFence } from "../fence.fixture.ts";
import { policeKube } from "../policed-kube.ts";
import { createTestTask, type TestTask, type TestTaskOptions } from "../task.fixture.ts";
import type { PlanResult, RunResult } from "../types.ts";
import { helmRunner } from "./index.ts";
import type { HelmResult } from "./report.ts";
import type { HelmSpec } from "./types.ts";

export interface Harness extends AsyncDisposable {
  readonly cluster: ClusterAccess;
  readonly kube: KubeClient;
  readonly namespace: string;
  /** In which helm is the one that was wanted. */
  readonly environment: Readonly<Record<string, string>>;
  task(spec: object, options?: HarnessOptions): TestTask<HelmSpec>;
  run(spec: object, options?: HarnessOptions): Promise<Told>;
  plan(spec: object, options?: HarnessOptions): Promise<Planned>;
  /** Reads `configmaps/x` in the namespace; a path that begins with a slash is taken as it is. */
  get(path: string): Promise<KubeObject & { readonly [member: string]: never }>;
  send(method: "POST" | "PUT" | "PATCH" | "DELETE", path: string, body?: object): Promise<unknown>;
  exists(path: string): Promise<boolean>;
  /**
   * Lets the pods of a Deployment run anywhere until the run is over. Helm may make the Deployment later, and takes the
   * place that its pods wait for back whenever it writes it again.
   */
  whileReady<Result>(deployment: string, running: Promise<Result>): Promise<Result>;
}

export type HarnessOptions = Partial<Omit<TestTaskOptions<HelmSpec>, "spec">>;

export interface Planned extends PlanResult {
  /** For the run of what it says. */
  readonly approval: { readonly approvedDigest: string; readonly record: string | undefined };
}

export interface Told {
  readonly json: HelmResult;
  readonly failure: FairleadError | undefined;
  readonly lines: readonly string[];
  readonly task: TestTask<HelmSpec>;
}

export async function openHarness({ by = "helm" }: { readonly by?: "helm" | "helm3" } = {}): Promise<Harness> {
  await using undo = new AsyncDisposableStack();
  const [cluster, tools] = await Promise.all([sharedCluster(), ensureTools([by])]);
  const folder = await mkdtemp(join(tmpdir(), "fairlead-helm-"));
  undo.defer(() => rm(folder, { recursive: true }));
  // Programs run as another user.
  await chmod(folder, 0o755);
  await symlink(tools[by], join(folder, "helm"));
  const kube = undo.use(createKubeClient({ access: await loadKubeconfig({ path: cluster.adminKubeconfig }) }));
  const { name: namespace } = undo.use(await createNamespace(cluster, "helm"));
  const environment = { PATH: `${folder}:${process.env["PATH"]}` };
  const fence = await openTestFence();
  const resolve = (path: string): string => {
    if (path.startsWith("/")) return path;
    const group = path.startsWith("deployments/")
      ? "/apis/apps/v1"
      : path.startsWith("jobs/")
        ? "/apis/batch/v1"
        : "/api/v1";
    return `${group}/namespaces/${namespace}/${path}`;
  };
  const harness: Harness = {
    cluster,
    kube,
    namespace,
    environment,
    task(spec, options = {}) {
      const parsed = helmRunner.parse({ release: "web", namespace, ...spec }) as HelmSpec;
      const claim = { isLost: false };
      const task = createTestTask({
        environment,
        fence,
        ...options,
        kube: doorKube(options.kube ?? kube, claim),
        spec: parsed,
      });
      const lose = (): void => {
        claim.isLost = true;
        task.lose();
      };
      return { ...task, lose };
    },
    async run(spec, options) {
      const task = harness.task(spec, options);
      const { json, failure } = (await helmRunner.run(task)) as RunResult;
      return { json: json as HelmResult, failure, lines: task.lines, task };
    },
    async plan(spec, options) {
      const task = harness.task(spec, options);
      const planned = await helmRunner.plan(task);
      return { ...planned, approval: { approvedDigest: planned.digest, record: task.record.json } };
    },
    get: (path) => kube.request({ path: resolve(path) }),
    send: (method, path, body) =>
      kube.request({
        method,
        path: resolve(path),
        body,
        ...(method === "PATCH" && { headers: { "content-type": "application/merge-patch+json" } }),
      }),
    exists: (path) =>
      harness.get(path).then(
        () => true,
        () => false,
      ),
    async whileReady(deployment, running) {
      let isOver = false;
      const release = async (): Promise<void> => {
        while (!isOver) {
          if (await harness.exists(`deployments/${deployment}`))
            await harness.send("PATCH", `deployments/${deployment}`, anywhere);
          await delay(50);
        }
      };
      const ended = running.finally(() => {
        isOver = true;
      });
      const [result] = await Promise.all([ended, release()]);
      return result;
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
  const owned = undo.move();
  return harness;
}

const anywhere = { spec: { template: { spec: { nodeSelector: null } } } };

/** As that of a claimed command: nothing is changed without the lease. */
function doorKube(client: KubeClient, claim: { readonly isLost: boolean }): KubeClient {
  return policeKube({
    client,
    policy: { judgeCommand: () => ({ allowed: true }) },
    requester: "test",
    ownNamespace: undefined,
    check: () => {
      if (claim.isLost) throw executeErrors.COMMAND_LEASE_LOST();
    },
  });
}

/** Inline, with these templates by name. */
export function chart(
  templates: Readonly<Record<string, string | object>>,
  more: Readonly<Record<string, string>> = {},
) {
  const files = Object.entries(templates).map(([name, template]) => [
    `templates/${name}`,
    typeof template === "string" ? template : JSON.stringify(template),
  ]);
  const head = { apiVersion: "v2", name: "web", version: "1.2.3", appVersion: "7" };
  return { files: { "Chart.yaml": JSON.stringify(head), ...Object.fromEntries(files), ...more } };
}

export function configMap(name: string, data: object = {}, annotations: object = {}) {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, annotations }, data };
}

/** Its pods find no node unless told. */
export function deployment(name: string, options: { readonly replicas?: number; readonly isReady?: boolean } = {}) {
  const { replicas = 1, isReady = false } = options;
  const labels = { app: name };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name },
    spec: { replicas, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: podSpec(isReady) } },
  };
}

export function hookJob(name: string, event: string, options: { readonly isReady?: boolean } = {}) {
  const annotations = { "helm.sh/hook": event };
  const template = { spec: { ...podSpec(options.isReady ?? false), restartPolicy: "Never" } };
  return { apiVersion: "batch/v1", kind: "Job", metadata: { name, annotations }, spec: { backoffLimit: 0, template } };
}

function podSpec(isReady: boolean): object {
  const containers = [{ name: "app", image: "example.com/app:1" }];
  return { containers, ...(!isReady && { nodeSelector: { none: "such" } }) };
}

// OpenTofu on a real API server, in a namespace of its own.
import { dirname } from "node:path";
import { createKubeClient, type KubeClient, loadKubeconfig } from "@fairlead/kube";
import { createNamespace, ensureTools, sharedCluster } from "@fairlead/testkit";
import { openTestFence } from "../fence.fixture.ts";
import { createTestTask, type TestTask, type TestTaskOptions } from "../task.fixture.ts";
import { parseTofuSpec } from "./spec.ts";
import type { TofuSpec } from "./types.ts";

export type TofuTask = TestTask<TofuSpec>;

export interface TofuHarness extends AsyncDisposable {
  readonly kube: KubeClient;
  readonly namespace: string;
  /** A file. */
  readonly kubeconfig: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  task(options: TofuTaskOptions): TofuTask;
  /** Reads `secrets/x` in the namespace. */
  get<T = StoredObject>(path: string): Promise<T>;
  send(method: "POST" | "PUT" | "PATCH" | "DELETE", path: string, body?: object): Promise<unknown>;
  /** A Secret's data, as text. */
  read(secret: string): Promise<Record<string, string>>;
  /** The id of the command that has locked the state `web`. */
  holder(): Promise<string | undefined>;
  secretNames(): Promise<readonly string[]>;
}

export interface TofuTaskOptions extends Partial<Omit<TestTaskOptions<TofuSpec>, "spec" | "kube" | "secrets">> {
  readonly kube?: KubeClient;
  /** The text of main.tf. */
  readonly main?: string;
  readonly spec?: Readonly<Record<string, unknown>>;
}

export interface StoredObject {
  metadata: {
    name: string;
    resourceVersion: string;
    annotations?: Record<string, string>;
    labels?: Record<string, string>;
  };
  data?: Record<string, string>;
  spec?: Record<string, unknown>;
}

export async function openTofuHarness(): Promise<TofuHarness> {
  const [cluster, { tofu }] = [await sharedCluster(), await ensureTools(["tofu"])];
  const kube = createKubeClient({ access: await loadKubeconfig({ path: cluster.adminKubeconfig }) });
  const fence = await openTestFence();
  const { name: namespace, ...made } = await createNamespace(cluster, "tofu");
  const environment = { ...process.env, PATH: `${dirname(tofu)}:${process.env["PATH"]}` };
  const resolve = (path: string): string =>
    `${path.startsWith("leases") ? "/apis/coordination.k8s.io/v1" : "/api/v1"}/namespaces/${namespace}/${path}`;
  const harness: TofuHarness = {
    kube,
    namespace,
    environment,
    kubeconfig: cluster.adminKubeconfig,
    task({ main = "", spec = {}, ...options }) {
      const whole = { name: "web", namespace, source: { files: { "main.tf": main } }, ...spec };
      return createTestTask<TofuSpec>({ kube, environment, fence, ...options, spec: parseTofuSpec(whole) });
    },
    get: (path) => kube.request({ path: resolve(path) }),
    send: (method, path, body) =>
      kube.request({
        method,
        path: resolve(path),
        body,
        ...(method === "PATCH" && { headers: { "content-type": "application/merge-patch+json" } }),
      }),
    async read(secret) {
      const { data = {} } = await harness.get(`secrets/${secret}`);
      return Object.fromEntries(
        Object.entries(data).map(([key, value]) => [key, Buffer.from(value, "base64").toString()]),
      );
    },
    async holder() {
      const lease = await harness.get("leases/lock-tfstate-default-web");
      return lease.spec?.["holderIdentity"] as string | undefined;
    },
    async secretNames() {
      const { items } = await harness.get<{ items: StoredObject[] }>("secrets");
      return items.map(({ metadata }) => metadata.name).sort();
    },
    async [Symbol.asyncDispose]() {
      await made[Symbol.asyncDispose]();
      await kube[Symbol.asyncDispose]();
    },
  };
  return harness;
}

// The pods of one of the agent's Deployments, as far as an upgrade sees them: a process of the version that the image says.
// The next version starts beside the last one, which ends when the next one has its link; where there is no such version,
// nothing starts and the last one stays, as with an image that can't be pulled.
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import {
  type ClusterAccess,
  findLogLines,
  type Manifest,
  type RunningProcess,
  readPodProgram,
  startProgram,
} from "@fairlead/testkit";

export interface FollowedDeployment extends AsyncDisposable {
  /** Versions that were started, the last one runs. */
  readonly started: readonly string[];
}

export function followDeployment(options: {
  readonly cluster: ClusterAccess;
  readonly namespace: string;
  readonly name: string;
  /** Where the join token is, and where logs go. */
  readonly folder: string;
  /** Folders with programs by their version; this run's own for undefined. */
  readonly versions: ReadonlyMap<string, string | undefined>;
}): FollowedDeployment {
  const { cluster, namespace, name, folder, versions } = options;
  const started: string[] = [];
  const stop = new AbortController();
  let running: RunningProcess | undefined;
  const following = follow();
  return {
    started,
    async [Symbol.asyncDispose]() {
      stop.abort();
      await following;
      await running?.stop({ graceMs: 15_000 });
    },
  };

  async function follow(): Promise<void> {
    while (!stop.signal.aborted) {
      const deployment = await read();
      if (deployment !== undefined) await catchUp(deployment);
      await delay(200, undefined, { signal: stop.signal }).catch(() => undefined);
    }
  }

  async function catchUp(deployment: Manifest): Promise<void> {
    const version = versionOf(deployment);
    if (version === undefined || version === started.at(-1) || !versions.has(version)) return;
    await replace(deployment, version);
  }

  async function read(): Promise<Manifest | undefined> {
    const path = `/apis/apps/v1/namespaces/${namespace}/deployments/${name}`;
    const { status, text } = await cluster.api.send({ path });
    return status === 200 ? JSON.parse(text) : undefined;
  }

  async function replace(deployment: Manifest, version: string): Promise<void> {
    const { args, env, serviceAccount } = readPodProgram(deployment, { "/var/run/fairlead/token": folder });
    const kubeconfig = await cluster.kubeconfigForServiceAccount({ namespace, name: serviceAccount });
    const logFile = join(folder, `${name}-${started.length}.log`);
    const next = await startProgram("agent", {
      name: `${cluster.name} ${name} ${version}`,
      args: [...args, "--kubeconfig", kubeconfig, "--health-listen", "127.0.0.1:0"],
      env: { HOME: folder, ...env },
      programs: versions.get(version),
      logFile,
      readyWhen: async () => (await findLogLines(logFile, "agent is connected")).length > 0,
      readyTimeoutMs: 60_000,
    });
    const last = running;
    running = next;
    started.push(version);
    await last?.stop({ graceMs: 15_000 });
  }
}

function versionOf(deployment: Manifest): string | undefined {
  const { image } = deployment["spec"].template.spec.containers[0] as { image: string };
  return image.split(":").at(-1);
}

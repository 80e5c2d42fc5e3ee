// A component of Argo CD: one program is all of them, and asks its environment which one it is.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type Component, startComponent } from "../cluster/index.ts";
import { collectRarely } from "../collect-rarely.ts";
import { type PortLease, type RunningProcess, reservePorts } from "../processes/index.ts";
import { ensureKeptFiles, ensureTools } from "../tools/index.ts";
import type { TestRedis } from "./start-redis.ts";

export interface ArgoProgram extends AsyncDisposable {
  readonly component: Component;
  readonly ports: readonly number[];
}

export interface ArgoProgramOptions {
  readonly name: `argocd-${string}`;
  readonly portCount: number;
  readonly args: (ports: readonly number[], folder: string) => readonly string[];
  readonly env?: (folder: string) => Readonly<Record<string, string>>;
  readonly readyWhen: (ports: readonly number[], running: RunningProcess) => boolean | Promise<boolean>;
  /** Put before the program, with its own arguments. */
  readonly wrapper?: readonly string[];
}

/** With a folder and ports of its own. */
export async function startArgoProgram(options: ArgoProgramOptions): Promise<ArgoProgram> {
  const { name, portCount, args, env, readyWhen, wrapper = [] } = options;
  const { argocd } = await ensureTools(["argocd"]);
  await using undo = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), "fairlead-argo-"));
  undo.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }));
  const { ports }: PortLease = undo.use(await reservePorts(portCount));
  const [command = argocd, ...before] = [...wrapper, argocd];
  const component = await startComponent({
    name,
    command,
    cwd: folder,
    logFile: join(folder, "log"),
    args: [...before, ...args(ports, folder), "--logformat", "text"],
    env: { ARGOCD_BINARY_NAME: name, ...(await argoEnvironment(folder)), ...env?.(folder) },
    readyWhen: (running) => readyWhen(ports, running),
    readyTimeoutMs: 60_000,
  });
  // There is nothing to keep, so there is nothing to wait for.
  undo.defer(() => component.stop({ graceMs: 0 }));
  const owned = undo.move();
  return { component, ports, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

/** Keeps a process of Argo CD to its folder, and gives it the programs that it calls. */
async function argoEnvironment(folder: string): Promise<Record<string, string>> {
  const { argocd, helm } = await ensureTools(["argocd", "helm"]);
  const scripts = join(await ensureKeptFiles("argocd"), "hack");
  return {
    PATH: [dirname(argocd), dirname(helm), scripts, process.env["PATH"] ?? ""].join(":"),
    HOME: folder,
    TMPDIR: folder,
    HELM_CACHE_HOME: folder,
    HELM_CONFIG_HOME: folder,
    HELM_DATA_HOME: folder,
    ARGOCD_GPG_ENABLED: "false",
    ARGOCD_APP_CONF_PATH: folder,
    ARGOCD_PLUGINSOCKFILEPATH: join(folder, "plugins"),
    ARGOCD_TLS_DATA_PATH: join(folder, "tls"),
    ARGOCD_SSH_DATA_PATH: join(folder, "ssh"),
    // All repo-servers of a machine would share one in /tmp.
    ARGOCD_ASK_PASS_SOCK: join(folder, "ask-pass.sock"),
    GIT_CONFIG_NOSYSTEM: "1",
    ...collectRarely(),
  };
}

export function redisEnvironment({ password }: TestRedis): Record<string, string> {
  return password === undefined ? {} : { REDIS_PASSWORD: password };
}

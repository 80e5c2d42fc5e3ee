import { type Argo, adminPassword } from "./prepare-argo-cd.ts";
import { type ArgoProgram, redisEnvironment, startArgoProgram } from "./start-argo-program.ts";
import type { TestRedis } from "./start-redis.ts";
import type { RepoServer } from "./start-repo-server.ts";

export interface ArgoServer extends ArgoProgram {
  readonly address: string;
  readonly url: string;
  /** Resolves to a token of its administrator. */
  signIn(): Promise<string>;
  /** As the administrator, who signs in at the first one. Any answer resolves. */
  request(options: ArgoRequest): Promise<ArgoResponse>;
}

export interface ArgoRequest {
  readonly method?: string;
  readonly path: string;
  /** Sent as JSON. */
  readonly body?: unknown;
}

export interface ArgoResponse {
  readonly status: number;
  readonly text: string;
}

export interface ArgoServerOptions {
  readonly redis: TestRedis;
  readonly repoServer: RepoServer;
  /** Come last, so that they win. */
  readonly extraArgs?: readonly string[];
}

/** Its API, on plain HTTP. */
export async function startArgoServer(
  { cluster, namespace, applicationNamespaces }: Argo,
  { redis, repoServer, extraArgs = [] }: ArgoServerOptions,
): Promise<ArgoServer> {
  const program = await startArgoProgram({
    name: "argocd-server",
    portCount: 2,
    args: ([port, metricsPort], folder) => [
      "--kubeconfig",
      cluster.adminKubeconfig,
      "--namespace",
      namespace,
      "--insecure",
      "--address",
      "127.0.0.1",
      "--port",
      `${port}`,
      "--metrics-address",
      "127.0.0.1",
      "--metrics-port",
      `${metricsPort}`,
      "--redis",
      redis.address,
      "--repo-server",
      repoServer.address,
      "--repo-server-plaintext",
      "--staticassets",
      folder,
      ...applicationNamespaces.flatMap((name) => ["--application-namespaces", name]),
      ...extraArgs,
    ],
    env: () => redisEnvironment(redis),
    readyWhen: async ([port]) => (await fetch(`http://127.0.0.1:${port}/healthz`)).ok,
  });
  const address = `127.0.0.1:${program.ports[0]}`;
  const url = `http://${address}`;
  let token: Promise<string> | undefined;
  return {
    ...program,
    address,
    url,
    signIn: () => signIn(url),
    async request(options) {
      token ??= signIn(url);
      return send(url, { ...options, token: await token });
    },
  };
}

async function signIn(url: string): Promise<string> {
  const body = { username: "admin", password: adminPassword };
  const { status, text } = await send(url, { method: "POST", path: "/api/v1/session", body });
  if (status !== 200) throw new Error(`argocd-server refused its administrator with ${status}: ${text}`);
  return (JSON.parse(text) as { token: string }).token;
}

async function send(url: string, options: ArgoRequest & { readonly token?: string }): Promise<ArgoResponse> {
  const { method = "GET", path, body, token } = options;
  const response = await fetch(new URL(path, url), {
    method,
    signal: AbortSignal.timeout(60_000),
    headers: {
      // It refuses writes without, those with no body among them.
      "content-type": "application/json",
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: response.status, text: await response.text() };
}

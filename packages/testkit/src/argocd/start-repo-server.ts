import { connect } from "node:net";
import { type ArgoProgram, redisEnvironment, startArgoProgram } from "./start-argo-program.ts";
import type { TestRedis } from "./start-redis.ts";

export interface RepoServer extends ArgoProgram {
  readonly port: number;
  readonly address: string;
}

export interface RepoServerOptions {
  readonly redis: TestRedis;
  /** Come last, so that they win. */
  readonly extraArgs?: readonly string[];
}

export async function startRepoServer({ redis, extraArgs = [] }: RepoServerOptions): Promise<RepoServer> {
  const program = await startArgoProgram({
    name: "argocd-repo-server",
    portCount: 2,
    args: ([port, metricsPort]) => [
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
      // Its own certificate isn't needed on loopback. It refuses to go without while it has an authority for clients.
      "--disable-tls",
      "--client-ca-path",
      "",
      ...extraArgs,
    ],
    env: () => redisEnvironment(redis),
    readyWhen: ([port = 0]) => accepts(port),
  });
  const port = program.ports[0] ?? 0;
  return { ...program, port, address: `127.0.0.1:${port}` };
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type CommandOptions, type CommandResult, runCommand } from "../cluster/index.ts";
import { collectRarely } from "../collect-rarely.ts";
import { ensureTools } from "../tools/index.ts";
import type { ArgoServer } from "./start-argo-server.ts";

export interface ArgoCli extends AsyncDisposable {
  /** Runs `argocd ARGS…`. Throws TESTKIT_COMMAND_FAILED unless `allowFailure`. */
  run(args: readonly string[], options?: CommandOptions): Promise<CommandResult>;
  /** Runs it with `--output json` and parses its answer. */
  json<T>(args: readonly string[]): Promise<T>;
}

/** Argo CD's own CLI, signed in as the administrator. */
export async function openArgoCli(server: Pick<ArgoServer, "address" | "signIn">): Promise<ArgoCli> {
  const { argocd } = await ensureTools(["argocd"]);
  const token = await server.signIn();
  const home = await mkdtemp(join(tmpdir(), "fairlead-argo-cli-"));
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: home,
    ARGOCD_CONFIG_DIR: home,
    KUBECONFIG: "/dev/null",
    ARGOCD_SERVER: server.address,
    ARGOCD_AUTH_TOKEN: token,
    ARGOCD_OPTS: "--plaintext",
    ...collectRarely(),
  };
  const run: ArgoCli["run"] = (args, options = {}) =>
    runCommand(argocd, args, { ...options, env: { ...env, ...options.env } });
  return {
    run,
    json: async <T>(args: readonly string[]) => JSON.parse((await run([...args, "--output", "json"])).stdout) as T,
    [Symbol.asyncDispose]: () => rm(home, { recursive: true, force: true }),
  };
}

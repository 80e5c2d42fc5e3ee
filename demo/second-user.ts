// Somebody else at the same cluster: a robot who may look and not touch. Its rights are checked in the hub, and once
// more by the cluster, which is told who asks.
import { join } from "node:path";
import { type CommandResult, runCommand } from "@fairlead/testkit";
import type { Progress } from "./progress.ts";
import { demoFolder, type Stage } from "./stage.ts";

const name = "guest";
export const guestKubeconfig: string = join(demoFolder, `kubeconfig.${name}`);

export async function showSecondUser(options: { stage: Stage; cluster: string; progress: Progress }): Promise<void> {
  const { stage, cluster, progress } = options;
  const tokenFile = join(demoFolder, `${name}.token`);
  progress.say(`  ... a second user: '${name}', who may look at ${cluster} and not touch it`);
  await fairlead(stage, ["access", "robot", "create", name, "--description", "looks, and doesn't touch"]);
  await fairlead(stage, ["access", "binding", "create", "viewer", "--robot", name, "--cluster", cluster]);
  await fairlead(stage, ["access", "robot", "token", "create", name, "--token-out", tokenFile]);
  const output = ["--context-prefix", "", "--output", guestKubeconfig];
  await fairlead(stage, ["kubeconfig", cluster, "--static-token", tokenFile, ...output]);

  await kubectl(["auth", "whoami"], (result) => result.stdout.includes(`robot:${name}`));
  await kubectl(["get", "deployments"], (result) => /hello/.test(result.stdout));
  await kubectl(["delete", "deployment", "hello"], (result) => result.code !== 0 && /orbidden/.test(result.stderr));
  const explain = ["access", "explain", `robot:${name}`, "delete", "deployments.apps", "--cluster", cluster];
  const { stdout } = await runCommand("fairlead", explain, { env: stage.environment, allowFailure: true });
  progress.showCommand(`fairlead ${explain.join(" ")}`, stdout);

  async function kubectl(args: string[], holds: (result: CommandResult) => boolean): Promise<void> {
    const env = { ...stage.environment, KUBECONFIG: guestKubeconfig };
    const result = await runCommand("kubectl", args, { env, allowFailure: true });
    progress.showCommand(`kubectl ${args.join(" ")}          (as ${name})`, result.stdout || result.stderr);
    if (!holds(result))
      throw new Error(`kubectl ${args.join(" ")} as ${name} ended with ${result.code}: not as it should`);
  }
}

async function fairlead(stage: Stage, args: string[]): Promise<void> {
  await runCommand("fairlead", args, { env: stage.environment });
}

// `npm run demo`: a hub, two real clusters that only dial out, and kubectl through the hub.
import { spawn } from "node:child_process";
import { join, relative } from "node:path";
import { onAbort, toFairleadError, untilAbort } from "@fairlead/kernel";
import { playArgocdShow } from "./argocd-show.ts";
import { argocdEnvironmentFile } from "./argocd-stage.ts";
import { playCommandsShow } from "./commands-show.ts";
import { playDoctorShow } from "./doctor-show.ts";
import { DemoRunning } from "./folder.ts";
import { playHubsShow } from "./hubs-show.ts";
import { listenForInterruption } from "./interruption.ts";
import { type DemoOptions, parseDemoOptions, usage } from "./options.ts";
import { createProgress, type Progress } from "./progress.ts";
import { guestKubeconfig } from "./second-user.ts";
import { playShow } from "./show.ts";
import { demoFolder, type Stage, setStage } from "./stage.ts";

process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  const options = readOptions(args);
  if (typeof options === "number") return options;
  const signal = listenForInterruption({ source: process, giveUp: () => process.exit(130) });
  // With --exec, standard output belongs to the command.
  const progress = createProgress((text) =>
    (options.afterwards.kind === "exec" ? process.stderr : process.stdout).write(text),
  );
  try {
    await using stage = await setStage({ progress, ...options, signal });
    return await play({ stage, options, progress, signal });
  } catch (error) {
    if (signal.aborted) return 130;
    if (error instanceof DemoRunning) {
      console.error(`demo: ${error.message}`);
      return 1;
    }
    console.error(`demo: ${describe(error)}`);
    return 1;
  }
}

function readOptions(args: readonly string[]): DemoOptions | number {
  try {
    const options = parseDemoOptions(args);
    if (options !== "help") return options;
    process.stdout.write(usage);
    return 0;
  } catch (error) {
    process.stderr.write(`demo: ${(error as Error).message}\n\n${usage}`);
    return 2;
  }
}

async function play(options: {
  stage: Stage;
  options: DemoOptions;
  progress: Progress;
  signal: AbortSignal;
}): Promise<number> {
  const { stage, progress, signal } = options;
  const { afterwards } = options.options;
  const { several } = stage;
  const show = () => {
    switch (options.options.show) {
      case "argocd":
        return playArgocdShow({ stage, progress, signal });
      case "commands":
        return playCommandsShow({ stage, progress, signal });
      case "doctor":
        return playDoctorShow({ stage, progress, signal });
      case "links":
        return several ? playHubsShow({ stage, several, progress, signal }) : playShow({ stage, progress, signal });
    }
  };
  switch (afterwards.kind) {
    case "exec":
      progress.say(`\n  $ ${afterwards.command}\n`);
      return runForUser(afterwards.command, stage, signal);
    case "stop":
      await show();
      await progress.step("Stopping everything", () => stage[Symbol.asyncDispose]());
      progress.say(several ? "\nAll of it held, and what was said to end has ended." : "\nAll of it held.");
      return 0;
    case "stay":
      await show();
      progress.say(invitation(stage));
      await untilAbort(signal);
      progress.say("\nStopping ...");
      return 0;
  }
}

function runForUser(command: string, stage: Stage, signal: AbortSignal): Promise<number> {
  const child = spawn("sh", ["-c", command], { env: { ...process.env, ...stage.environment }, stdio: "inherit" });
  onAbort(signal, () => child.kill());
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code, name) => resolve(code ?? (name === "SIGINT" ? 130 : 143)));
  });
}

function invitation({ environment, clusters, hub, several, argo }: Stage): string {
  const isMade = clusters.some(({ made }) => made !== undefined);
  const name = clusters[0]?.name ?? "east";
  const path = (file: string | undefined) => relative(process.cwd(), file ?? "");
  return `
Everything stays up until you press Ctrl-C. In another terminal, in this folder:

  export KUBECONFIG=$PWD/${path(environment["KUBECONFIG"])} FAIRLEAD_CONFIG=$PWD/${path(environment["FAIRLEAD_CONFIG"])}
  export PATH=$PWD/${path(environment["PATH"]?.split(":")[0])}:$PATH

  kubectl --context ${name} get pods -A -w
  kubectl --context ${name} exec -it deploy/hello -- sh
  kubectl --context ${name} apply -f your-manifest.yaml
  fairlead get pods --all-clusters -w     # what runs everywhere, and how old that is
  fairlead top cluster                   # nodes, capacity and health of each cluster
  fairlead change list --since 1h             # what became different, and what is gone
  fairlead cluster list
  fairlead access binding list                # who may do what, and where
  fairlead audit list                     # who did what
  fairlead cluster revoke ${name}            # its link is cut at once
${argo ? asArgocdUser(path(join(demoFolder, argocdEnvironmentFile))) : ""}
${isMade && !several && !argo ? asSecondUser(path(guestKubeconfig)) : ""}
${several ? `The balancer before the hubs is at` : `The hub is at`} ${hub.url}.`;
}

function asArgocdUser(file: string): string {
  return `
With Argo CD's own command:

  . ./${file}
  argocd app list
  argocd app get east/shop -o tree
  argocd app sync east/shop
`;
}

function asSecondUser(kubeconfig: string): string {
  return `
As the second user, who may look and not touch:

  kubectl --kubeconfig ${kubeconfig} get pods
  kubectl --kubeconfig ${kubeconfig} delete pods --all     # refused
`;
}

/** The message and hint of a coded error; the cause too, because whoever runs the demo may be mending it. */
function describe(error: unknown): string {
  const { code, message, hint, cause } = toFairleadError(error);
  const because = cause instanceof Error ? `\n  ${cause.stack ?? cause.message}` : "";
  return `${message} (${code})${hint ? `\n  ${hint}` : ""}${because}`;
}

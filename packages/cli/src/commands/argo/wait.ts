// Waits until an application is as somebody wants it. What the hub knows is what the cluster's Argo CD reported last.
import type { ApplicationDetail, ApplicationName } from "@fairlead/contract";
import { Backoff } from "@fairlead/kernel";
import type { Command } from "../../command.ts";
import type { CommandContext, OpenContext } from "../../context.ts";
import { cliErrors } from "../../errors.ts";
import { pause } from "../../files/index.ts";
import { parseSpan } from "../../output/index.ts";
import { throwUnlessRetryable } from "../throw-unless-retryable.ts";
import { applicationArgument, applicationDescription, applicationName, parseApplication } from "./application-name.ts";

interface WaitOptions {
  readonly sync?: boolean;
  readonly health?: boolean;
  readonly operation?: boolean;
  readonly timeout?: number;
}

export function addApplicationWait(app: Command, open: OpenContext): void {
  app
    .command("wait")
    .prints("application", applicationName)
    .description("Wait until an application is synced and healthy, and no operation is in progress")
    .examples("fairlead argo app wait east/shop --timeout 5m")
    .argument(applicationArgument, applicationDescription, parseApplication)
    .option("--sync", "Wait until it is synced; without --sync, --health and --operation for all three")
    .option("--health", "Wait until it is healthy")
    .option("--operation", "Wait until no operation is in progress")
    .option("--timeout <time>", "Maximum time to wait, for example 5m (default: no limit)", parseSpan)
    .action((of: ApplicationName, options: WaitOptions, command: Command) =>
      waitForApplication(open(command), of, options),
    );
}

/** Throws CLI_APPLICATION_UNREADY when the time is up, and when a sync has failed that was waited for. */
async function waitForApplication(context: CommandContext, of: ApplicationName, options: WaitOptions): Promise<void> {
  const { hub: connect, output, signal, terminal } = context;
  const { timeout = Number.POSITIVE_INFINITY } = options;
  const hub = await connect();
  const until = terminal.now() + timeout;
  const backoff = new Backoff({ baseMs: lookMs, maxMs: 30_000 });
  let told = "";
  for (;;) {
    let waitMs = lookMs;
    let lacking = "the hub answers";
    try {
      const application = await hub.getApplication(of, { signal });
      backoff.reset();
      const isDone = judge(application);
      if (isDone) return output.answer(application, () => `${output.safe(of.name)} is ${describe(application)}.\n`);
      lacking = describe(application);
    } catch (thrown) {
      throwUnlessRetryable(thrown, { signal, remark: output.remark });
      waitMs = backoff.nextMs();
    }
    const leftMs = until - terminal.now();
    if (leftMs <= 0) throw cliErrors.CLI_APPLICATION_UNREADY({ name: `${of.cluster}/${of.name}`, state: lacking });
    await pause(Math.min(waitMs, leftMs), signal);
  }

  function judge(application: ApplicationDetail): boolean {
    const state = describe(application);
    if (state !== told) output.remark(`${output.safe(of.name)} is ${state}.`);
    told = state;
    const wanted = wantedOf(options);
    const { sync, health, phase, isDeleting } = application;
    const isFailed = wanted.sync && sync !== "Synced" && failedPhases.has(phase);
    // A failed sync isn't tried again by itself, and an application that is being deleted gets no better.
    if (isFailed || isDeleting) throw cliErrors.CLI_APPLICATION_UNREADY({ name: `${of.cluster}/${of.name}`, state });
    return (
      (!wanted.sync || sync === "Synced") &&
      (!wanted.health || health === "Healthy") &&
      (!wanted.operation || !busyPhases.has(phase))
    );
  }
}

function wantedOf({ sync = false, health = false, operation = false }: WaitOptions) {
  const isAny = sync || health || operation;
  return { sync: sync || !isAny, health: health || !isAny, operation: operation || !isAny };
}

function describe({ sync, health, phase, isDeleting }: ApplicationDetail): string {
  if (isDeleting) return "being deleted";
  const doing = phase === "" ? "" : `, last operation ${phase}`;
  return `${sync || "not compared yet"} and ${health || "of unknown health"}${doing}`;
}

const busyPhases: ReadonlySet<string> = new Set(["Running", "Terminating"]);
const failedPhases: ReadonlySet<string> = new Set(["Failed", "Error"]);
const lookMs = 2_000;

import type { ApplicationName, HubClient } from "@fairlead/contract";
import { formatDuration } from "@fairlead/kernel";
import { InvalidArgumentError, Option } from "commander";
import type { Command } from "../../command.ts";
import type { CommandContext, OpenContext } from "../../context.ts";
import { usage } from "../../errors.ts";
import { type Output, parseSpan } from "../../output/index.ts";
import { createLogPrinter } from "../runs/index.ts";
import { applicationArgument, applicationDescription, parseApplication } from "./application-name.ts";
import { type FoundPod, findPods } from "./find-pods.ts";

interface LogsOptions {
  readonly follow?: boolean;
  readonly container?: string;
  readonly kind?: string;
  readonly name?: string;
  readonly namespace?: string;
  readonly tail?: number;
  /** In milliseconds. */
  readonly since?: number;
  /** The former spelling. */
  readonly sinceSeconds?: number;
  readonly previous?: boolean;
}

export function addApplicationLogs(app: Command, open: OpenContext): void {
  app
    .command("logs")
    .description("Print the logs of an application's pods, with your own rights in the cluster")
    .examples("fairlead argo app logs east/shop --kind Deployment --name web --follow")
    .argument(applicationArgument, applicationDescription, parseApplication)
    .option("-f, --follow", "Print the logs as they grow")
    .option("-c, --container <name>", "Only containers of this name")
    .option("--kind <kind>", "Only resources of this kind, for example Deployment")
    .option("--name <name>", "Only resources of this name")
    .option("--namespace <namespace>", "Only resources in this namespace")
    .option("--tail <lines>", "Maximum number of lines of each container, counted from the newest", parseCount)
    .option("--since <time>", "Only lines that are at most this old, for example 10m", parseSpan)
    .addOption(new Option("--since-seconds <seconds>").argParser(parseCount).hideHelp())
    .option("-p, --previous", "Print the logs of the previous containers")
    .action((of: ApplicationName, options: LogsOptions, command: Command) => printLogs(open(command), of, options));
}

async function printLogs(context: CommandContext, of: ApplicationName, options: LogsOptions): Promise<void> {
  const { output, signal } = context;
  const { kind, name, namespace, follow = false } = options;
  const hub = await context.hub();
  const application = await hub.getApplication(of, { signal });
  const filter = { ...(kind && { kind }), ...(name && { name }), ...(namespace && { namespace }) };
  const since = readSince(options, output);
  const pods = await findPods({ hub, application, filter, signal });
  const logs = pods.flatMap((pod) => listLogs(pod, { ...options, ...since }));
  if (logs.length === 0) return output.remark("It has no pods, or none that were asked for.");
  if (follow && logs.length > mostFollowed)
    throw usage(
      `The application has ${logs.length} containers, but at most ${mostFollowed} can be followed at once.`,
      "Name some of them.",
    );
  const print = (log: PodLog): Promise<void> => printLog(context, { hub, cluster: of.cluster, log });
  if (!follow) {
    for (const log of logs) await print(log);
    return;
  }
  // A log that breaks doesn't end the others.
  const ends = await Promise.allSettled(logs.map(print));
  for (const end of ends) if (end.status === "rejected") throw end.reason;
}

interface PodLog {
  readonly prefix: string;
  readonly path: string;
}

function readSince({ since, sinceSeconds }: LogsOptions, output: Output): Pick<LogsOptions, "since"> {
  if (sinceSeconds === undefined) return since === undefined ? {} : { since };
  if (since !== undefined)
    throw usage("--since-seconds and --since are both set.", "Remove --since-seconds, which is the former name.");
  output.remark(`--since-seconds is deprecated: write --since ${formatDuration(sinceSeconds * 1_000)} instead.`);
  return { since: sinceSeconds * 1_000 };
}

function listLogs({ metadata, spec }: FoundPod, options: LogsOptions): PodLog[] {
  const { container, follow, tail, since, previous } = options;
  const all = container === undefined ? spec.containers : [...spec.containers, ...(spec.initContainers ?? [])];
  return all
    .filter(({ name }) => container === undefined || name === container)
    .map(({ name }) => {
      const query = new URLSearchParams({
        container: name,
        ...(follow === true && { follow: "true" }),
        ...(tail !== undefined && { tailLines: String(tail) }),
        ...(since !== undefined && { sinceSeconds: String(Math.max(1, Math.ceil(since / 1_000))) }),
        ...(previous === true && { previous: "true" }),
      });
      const path = `/api/v1/namespaces/${metadata.namespace}/pods/${metadata.name}/log?${query}`;
      return { prefix: `[${metadata.name}/${name}] `, path };
    });
}

async function printLog(
  { output, signal }: CommandContext,
  { hub, cluster, log }: { readonly hub: HubClient; readonly cluster: string; readonly log: PodLog },
): Promise<void> {
  const printer = createLogPrinter({ prefix: log.prefix, print: (text) => void output.print(text) });
  try {
    for await (const chunk of hub.streamFromCluster(cluster, log.path, { signal })) printer.write(chunk);
  } finally {
    printer.end();
  }
}

function parseCount(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError("It has to be a number.");
  return Number(text);
}

const mostFollowed = 20;

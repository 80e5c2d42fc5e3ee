import type { Profile, Report } from "@fairlead/doctor";
import { Option } from "commander";
import type { Command } from "../../command.ts";
import { reachCluster } from "../../connection/index.ts";
import type { CommandContext } from "../../context.ts";
import { parseSpan } from "../../output/index.ts";

export interface ExamineOptions {
  readonly fitnessProfile?: string;
  readonly type?: string;
  readonly timeout: number;
}

export function addExamineOptions(command: Command): Command {
  return command
    .formerOption("--wanted <profile>", "--fitness-profile")
    .option("--fitness-profile <profile>", "Fitness profile: fairlead, truefoundry, or a YAML file (default: fairlead)")
    .option("--type <type>", "Type of the cluster, if it is detected wrongly")
    .addOption(
      new Option("--timeout <time>", "Maximum time to read from the cluster")
        .argParser(parseSpan)
        .default(120_000, "2m"),
    );
}

/** Looks at a cluster now, by its API behind the hub: with the rights of who asks. */
export async function examineThroughHub(
  { hubContext, contextRef, signal, terminal }: CommandContext,
  { cluster, options }: { readonly cluster: string; readonly options: ExamineOptions },
): Promise<{ readonly report: Report; readonly profile: Profile }> {
  // The catalogue and the client of clusters are loaded for these commands alone.
  const { readCluster, readQuestion } = await import("../../doctor/index.ts");
  const { fitnessProfile: wanted, type } = options;
  const demands = { ...(wanted !== undefined && { profile: wanted }), ...(type !== undefined && { type }) };
  const question = await readQuestion(demands, new Date(terminal.now()));
  const access = reachCluster({ cluster, hubContext: await hubContext() }, terminal, contextRef.file);
  const { examined } = await readCluster({
    access,
    signal,
    trace: terminal.trace,
    examine: question.examine,
    namespaces: [],
    lateness: AbortSignal.timeout(options.timeout),
  });
  return { report: examined, profile: question.profile };
}

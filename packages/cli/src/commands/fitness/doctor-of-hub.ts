// The same question as the doctor's own, asked of the hub: the agents have examined their clusters already.
import type { CommandContext } from "../../context.ts";
import { type ClusterOptions, listAll, tellTroubles, toClusterFilter } from "../objects/index.ts";
import { fieldsOfCheck } from "./check-fields.ts";
import { type Drift, findDrift } from "./find-drift.ts";
import { readGenerations } from "./generations.ts";
import { type AddonVersion, judgeVersions } from "./judge-versions.ts";
import { addonTable, driftLines, explainFit, fitnessTable, paintState, versionLines } from "./matrix-text.ts";
import { type ClusterExamination, readExaminations, tellOutdated } from "./read-examinations.ts";
import { describeSharedHosts, readSharedHosts } from "./shared-hosts.ts";

export type FitnessOfAll = "fit" | "unfit" | "unjudged";

export interface ShowOptions {
  /** Also what is well, and what nobody needs. */
  readonly all?: boolean;
}

export async function doctorOfHub(
  context: CommandContext,
  options: ClusterOptions & ShowOptions,
): Promise<FitnessOfAll> {
  const { output, signal } = context;
  // A program chooses by itself.
  const showsAll = options.all === true || context.output.isDocument;
  const client = await context.hub();
  const filter = toClusterFilter(options);
  const clusters = await readExaminations(client, filter, signal);
  const drift = findDrift(clusters);
  const versions = await judgeVersions(clusters);
  const sharedHosts = await readSharedHosts(context, client, filter);
  const checks = await listAll(
    client,
    {
      ...filter,
      kind: "checks.fairlead.dev",
      labelSelector: showsAll ? notPassed : broken,
      include: "object",
    },
    { signal, limit: mostChecks },
  );
  const generations = await readGenerations(client, signal);
  const troubles = checks.items.map((item) => fieldsOfCheck(item, generations));
  output.answer({ clusters, drift, versions, sharedHosts, checks: troubles }, () =>
    [
      fitnessTable(output, clusters),
      explainFit(output, clusters),
      addonTable(output, clusters, showsAll),
      checkTable(context, troubles),
      describeDrift(context, drift),
      describeVersions(context, versions),
      describeSharedHosts(output, sharedHosts),
    ]
      .filter((part) => part !== "")
      .join("\n"),
  );
  tellTroubles(
    output,
    clusters.map(({ age }) => age),
  );
  tellOutdated(output, clusters);
  if (checks.next !== undefined) output.notice(`Warning: only ${mostChecks} checks are shown; there are more.`);
  if (!showsAll) output.remark("Only what keeps clusters from being fit is shown; --all shows all addons and checks.");
  return judgeAll(clusters);
}

function checkTable({ output }: CommandContext, checks: readonly ReturnType<typeof fieldsOfCheck>[]): string {
  if (checks.length === 0) return "";
  return output.table(
    ["CLUSTER", "CHECK", "VERDICT", "MESSAGE"],
    checks.map(({ cluster, check, verdict, message }) => [
      output.safe(cluster),
      output.safe(check),
      paintState(output, verdict),
      output.safe(message),
    ]),
  );
}

function describeDrift({ output }: CommandContext, drift: readonly Drift[]): string {
  return drift.length === 0 ? "" : `Clusters differ:\n${driftLines(output, drift)}`;
}

function describeVersions({ output }: CommandContext, versions: readonly AddonVersion[]): string {
  const lines = versionLines(output, versions);
  return lines === "" ? "" : `Versions outside of the catalogue's ranges:\n${lines}`;
}

/** A cluster that is unfit makes the whole answer unfit; a cluster that nobody knows about leaves it open. */
function judgeAll(clusters: readonly ClusterExamination[]): FitnessOfAll {
  const all = clusters.map(({ found, age }) => (age.state === "connected" ? found?.fitness : "unjudged"));
  if (all.includes("unfit")) return "unfit";
  return all.length > 0 && all.every((fitness) => fitness === "fit") ? "fit" : "unjudged";
}

const mostChecks = 500;
const notPassed = "fairlead.dev/verdict!=pass";
const broken = "fairlead.dev/verdict=fail,fairlead.dev/severity=required";

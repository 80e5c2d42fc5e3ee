import type { ObjectItem } from "@fairlead/contract";
import type { Command } from "../../command.ts";
import type { CommandContext, OpenContext } from "../../context.ts";
import {
  addClusterOptions,
  asList,
  asObject,
  asText,
  type ClusterOptions,
  isOfOneCluster,
  listAll,
  tellTroubles,
  toClusterFilter,
} from "../objects/index.ts";
import { type Generations, readGenerations } from "./generations.ts";
import { matrixTable, paintState } from "./matrix-text.ts";
import { readExaminations, tellOutdated } from "./read-examinations.ts";

export function addFeatures(program: Command, open: OpenContext): void {
  addClusterOptions(
    program
      .command("feature")
      .description("See which features clusters support")
      .command("list")
      .formerly("features")
      .description("Show which features each cluster supports, and what blocks the others")
      .examples("fairlead feature list", "fairlead feature list --cluster east"),
  ).action((options: ClusterOptions, command: Command) => features(open(command), options));
}

async function features(context: CommandContext, options: ClusterOptions): Promise<void> {
  const filter = toClusterFilter(options);
  if (isOfOneCluster(filter)) return await featuresOfOne(context, filter);
  const { output, signal } = context;
  const clusters = await readExaminations(await context.hub(), filter, signal);
  output.answer(
    clusters.map(({ cluster, age, found, outdated }) => ({ cluster, age, features: found?.features ?? [], outdated })),
    () =>
      matrixTable(output, {
        heading: "FEATURE",
        clusters,
        cellsOf: ({ found }) => new Map((found?.features ?? []).map(({ id, state }) => [id, { state }])),
      }),
  );
  tellTroubles(
    output,
    clusters.map(({ age }) => age),
  );
  tellOutdated(output, clusters);
}

/** With the reasons. */
async function featuresOfOne(context: CommandContext, filter: ReturnType<typeof toClusterFilter>): Promise<void> {
  const { output, signal } = context;
  const query = { ...filter, kind: "features.fairlead.dev", include: "object", sort: "name" } as const;
  const client = await context.hub();
  const { items, clusters } = await listAll(client, query, { signal });
  const generations = await readGenerations(client, signal);
  const found = items.map((item) => fieldsOfFeature(item, generations));
  output.answer({ features: found, clusters }, () =>
    output.table(
      ["FEATURE", "STATE", "BECAUSE"],
      found.map(({ feature, state, because }) => [
        output.safe(feature),
        paintState(output, state),
        output.safe(
          because.map(({ source, message }) => (source === "" ? message : `${source}: ${message}`)).join(" "),
        ) || "-",
      ]),
    ),
  );
  tellTroubles(output, clusters);
}

function fieldsOfFeature({ cluster, name, object }: ObjectItem, generations: Generations) {
  const status = asObject(asObject(object)["status"]);
  const outdated = generations.whyOutdated(cluster, status["examinedWith"]);
  if (outdated !== undefined)
    return { cluster, feature: name, state: "unknown", because: [{ source: "", message: outdated }] };
  const because = asList(status["because"]).map((each) => {
    const { check, addon, message } = asObject(each);
    return { source: asText(check) || asText(addon), message: asText(message) };
  });
  return { cluster, feature: name, state: asText(status["state"]), because };
}

import { stringify } from "yaml";
import type { Command } from "../../command.ts";
import type { CommandContext, OpenContext } from "../../context.ts";
import { addChartOptions, addImageOption, type ChartOptions, readMirrors, readValues } from "./chart-options.ts";
import { describeFixed, mirrorSteps } from "./mirror-steps.ts";

interface Options extends ChartOptions {
  readonly showValues?: boolean;
}

export function addAddonsImages(addons: Command, open: OpenContext): void {
  const command = addons
    .command("image")
    .description("See the images of addons")
    .command("list")
    .formerly("addons images")
    .description("List the images of addons and of the addons that they need, without asking a cluster")
    .examples("fairlead addon image list keda prometheus --image-mirror registry.example.com/mirror")
    .argument("<addon...>", "Names of the addons");
  addImageOption(addChartOptions(command))
    .option("--show-values", "Print the Helm values that select the mirror")
    .action((wanted: string[], options: Options, command: Command) => listImages(open(command), wanted, options));
}

async function listImages(context: CommandContext, wanted: readonly string[], options: Options): Promise<void> {
  const { output, signal, terminal } = context;
  const { catalogue, clusterTypes, planInstall } = await import("@fairlead/doctor");
  const { readQuestion } = await import("../../doctor/index.ts");
  const { openCharts } = await import("../../charts/index.ts");
  const { fitnessProfile: profileName, type = "generic", imageMirror: registry } = options;
  const demands = { type, ...(profileName !== undefined && { profile: profileName }) };
  const { profile } = await readQuestion(demands, new Date(terminal.now()));
  const clusterType = clusterTypes.find((each) => each === type) ?? "generic";
  const ownValues = await readValues(context, options.values);
  const { steps } = planInstall({
    wanted,
    catalogue,
    clusterType,
    profile,
    found: [],
    ownValues,
    mirrors: readMirrors(options.mirror),
  });
  await using charts = await openCharts({ signal });
  const found = await mirrorSteps(charts, { steps, registry, capabilities: { apiVersions: [] } });
  const items = found.flatMap(({ step, images }) => images.map((image) => ({ addon: step.addon, ...image })));
  output.answer({ items }, () => {
    const rows = items.map(({ addon, image, mirror, isFixed }) => [
      addon,
      image,
      ...(registry === undefined ? [] : [mirror ?? "", isFixed ? "no" : "yes"]),
    ]);
    const heading = registry === undefined ? ["ADDON", "IMAGE"] : ["ADDON", "IMAGE", "IN THE MIRROR", "BY VALUES"];
    const values = options.showValues
      ? found.map(({ step }) => `\n# ${step.addon}\n${stringify(step.values ?? {})}`).join("")
      : "";
    return output.table(heading, rows) + values;
  });
  const fixed = describeFixed(context, found);
  if (fixed !== undefined) output.remark(fixed);
}
